-- A slice of layered cake is pulled apart: three layers of sponge with cream between them. The cream is the weak
-- interface (strength per region), so the cake comes apart there and the sponge stays whole.
-- Sponge: E 2e4 Pa, strength 2e4 Pa, ρ 300 kg/m³; cream: E 4e3 Pa, strength 350 Pa, it flows (yield 0.05, 5 1/s).
-- --set model=FILE takes another closed surface, cut into three layers.
-- Look for: layers that are turned over one after the other and laid beside the cake, with crack faces that follow the
-- cream.
--
--   pliant run scenes/virtual-materials/cake.lua

world { dt = 0.01, duration = 3, fps = 50, seed = 3 }
camera { eye = {0.2, 0.36, 0.78}, target = {0.02, 0.055, 0}, fov = 30 }

local length, height, depth = 0.16, 0.09, 0.08
local layers = { {0, 0.27}, {0.36, 0.63}, {0.72, 1} }  -- of the height; cream between

local cream = {}
for i = 1, 2 do
  local low, high = layers[i][2] * height, layers[i + 1][1] * height
  table.insert(cream, { inside = box { size = {1, high - low, 1}, at = {0, (low + high) / 2, 0} },
                        young = 4e3, density = 600, strength = 350, yield = 0.05, rate = 5, color = {0.85, 0.72, 0.55} })
end

local cake = fem_body {
  name = "cake",
  surface = args.model and load { file = args.model, fit = length }
            or box { size = {length, height, depth}, rounding = 0.006, at = {0, height / 2, 0} },
  edge = not args.model and 0.006 or nil,
  volume = args.model and lattice { tets = 2000 } or grid { cells = {9, 11, 4} },
  at = {0, 0.001, 0},
  material = { young = 2e4, poisson = 0.2, density = 300, friction = 0.9, damping = { stiffness = 0.01 },
               plasticity = creep { yield = 1, rate = 0, max = 1 },
               fracture = { strength = 2e4, noise = 0.1, propagation = 0.3, splits = 3, normals = "smooth", grain = 0.02 }, regions = cream },
  integrator = implicit_euler { iterations = 30 },
  color = {0.16, 0.07, 0.03}, inside_color = {0.35, 0.17, 0.07},
}
ground { height = 0, friction = 1 }

-- The bottom stays on the plate. One hand takes the top layer and turns it over its left edge, then another the middle
-- one over its right edge; both lay them down beside the cake and let go.
fix { body = cake, inside = box { size = {1, 0.1 * height, 1}, at = {0, 0.02 * height, 0} } }
local function ramp(t) return math.max(0, math.min(1, t)) end
local function hand(layer, side, start)
  local low, high = layers[layer][1] * height, layers[layer][2] * height
  rotate { body = cake, inside = box { size = {0.9 * length, 0.4 * (high - low), 1}, at = {0, 0.5 * (low + high), 0} },
           axis = "z", center = {side * length / 2, low, 0}, from = start, release = start + 1.3,
           angle = function(t) return -side * 180 * ramp(t - start) end,
           path = function(t)  -- up while it turns, then down until it lies on its back
             local up, down = ramp(2 * (t - start)) - ramp(2 * (t - start) - 1), ramp(t - start)
             return {side * 0.02 * down, 0.02 * up - (2 * low - high) * down, 0} end }
end
hand(3, -1, 0.1)
hand(2, 1, 1.3)

measure("pieces", function() return cake:pieces() end)
expect("the layers come apart", function() return cake:pieces() >= 3, cake:pieces() .. " pieces" end)
if not args.model then
  local function middle_of(layer) return (layers[layer][1] + layers[layer][2]) / 2 * height end
  for layer, side in pairs { 0, 1, -1 } do
    local name, y = ({"bottom", "middle", "top"})[layer], middle_of(layer)
    local function at(x) return cake:point(x * length, y, 0) end
    measure(name .. "_x", function() return (at(-0.4) + at(0.4)).x / 2 end)
    measure(name .. "_length", function() return (at(0.4) - at(-0.4)):length() / (0.8 * length) end)
    expect { measure = name .. "_x", near = 1.1 * side * length, within = 0.02, description = name .. " layer: where it was laid" }
    expect { measure = name .. "_length", near = 1, within = 0.05, description = name .. " layer: whole" }
  end
end
