-- Two bars of toffee, the same hands: the cold one snaps, the warm one is drawn out to a thread. Heat, creep and
-- fracture act together, which the paper's examples do one by one: a warm element flows before its stress reaches the
-- strength, a cold one cannot.
-- Cold (20 °C): E 2e6 Pa, hardly any creep; warm (60 °C): E 2e5 Pa, yield 0.01, creep 20 1/s. Strength 1.5e5 Pa for both.
-- Look for: one bar in two, the other with a thread between its ends; --field temperature in `pliant render`.
-- --set model=FILE pulls another closed surface.
--
--   pliant run scenes/virtual-materials/toffee.lua

world { dt = 0.01, duration = 1.6, fps = 50, seed = 1 }
camera { eye = {0.1, 0.26, 0.7}, target = {0, 0.085, 0}, fov = 25 }

-- Bars with thick ends, where the hands hold them: an even bar breaks at the hands.
local length, width = 0.2, 0.03
local function bar()
  local parts = { capsule { a = {-0.4 * length, 0, 0}, b = {0.4 * length, 0, 0}, radius = 0.4 * width } }
  for _, side in ipairs {-1, 1} do
    table.insert(parts, box { size = {0.2 * length, width, width}, rounding = 0.2 * width, at = {side * 0.4 * length, 0, 0} })
  end
  return smooth_union { blend = 0.5 * width, table.unpack(parts) }
end
local shape = args.model and load { file = args.model, fit = length } or bar()
local around = shape:bounds()
local apart = math.max(0.05, 0.7 * (around.max.z - around.min.z))
local share = args.model and (around.max.x - around.min.x) / length or 1
local high = 0.12

local function toffee(name, z, temperature)
  local body = fem_body {
    name = name,
    surface = shape,
    edge = not args.model and 0.004 or nil,
    volume = lattice { tets = args.tets or 1500 },
    at = {0, high, z},
    material = {
      young = 2e6, poisson = 0.4, density = 1300, damping = { stiffness = 0.004 }, friction = 0.8,
      plasticity = creep { yield = 0.05, rate = 0.1, max = 6, keep_volume = true },
      heat = { conductivity = 0.3, cooling = 5, initial = temperature,
               table = { {20, young = 2e6, yield = 0.05, rate = 0.1}, {60, young = 2e5, yield = 0.01, rate = 20} } },
      fracture = { strength = 1.5e5, noise = 0.1, propagation = 0.5, splits = 3, grain = 0.6 * width },
    },
    integrator = implicit_euler { iterations = 40 },
    color = {0.5, 0.2, 0.05}, inside_color = {0.6, 0.28, 0.08},
  }
  for _, side in ipairs {-1, 1} do
    local hand = args.model and box { size = {0.06 * share, 1, 1}, at = {side > 0 and around.max.x or around.min.x, 0, z} }
                 or box { size = {0.18 * length, 0.1, 0.1}, at = {side * 0.42 * length, high, z} }
    move { body = body, inside = hand,
           path = function(t) return {side * 0.1 * share * math.min(0.85, math.max(0, t - 0.1)), 0, 0} end }
  end
  return body
end

local cold, warm = toffee("cold", -apart, 20), toffee("warm", apart, 60)
ground { height = 0, color = {0.5, 0.42, 0.33} }

measure("cold_pieces", function() return cold:pieces() end)
measure("warm_pieces", function() return warm:pieces() end)
measure("warm_plastic_strain", function() return warm:plastic_strain() end)
expect("the cold one snaps in two or three", function()
  return cold:pieces() >= 2 and (args.model ~= nil or cold:pieces() <= 3), cold:pieces() .. " pieces" end)
expect("the warm one stays in one", function() return warm:pieces() == 1, warm:pieces() .. " pieces" end)
-- Drawn out evenly to 2.3 times its length, its volume kept, it would be 0.66 times as thick.
local function thickness() return (warm:point(0, high + 0.4 * width, apart) - warm:point(0, high - 0.4 * width, apart)):length() end
measure("thread", thickness)
on_frame(function(t, index) if index == 0 then state.thickness = thickness() end end)
if not args.model then
  expect("the warm one is drawn to a thread", function()
    return thickness() < 0.7 * state.thickness, string.format("%.2f of its thickness", thickness() / state.thickness) end)
end
