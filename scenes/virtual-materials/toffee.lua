-- Two bars of toffee, the same hands: the cold one snaps, the warm one is drawn out. Heat, creep and fracture act
-- together, which the paper's examples do one by one: a warm element flows before its stress reaches the strength, a
-- cold one cannot.
-- Cold (20 °C): E 2e6 Pa, hardly any creep; warm (60 °C): E 2e5 Pa, yield 0.01, creep 20 1/s. Strength 1.5e5 Pa for both.
-- Look for: one bar in two, the other with a neck; --field temperature in `pliant render`. --set model=FILE pulls
-- another closed surface.
--
--   pliant run scenes/virtual-materials/toffee.lua

world { dt = 0.01, duration = 2, fps = 50, seed = 1 }

local length, width = 0.2, 0.03
local shape = args.model and load { file = args.model, fit = length }
              or box { size = {length, width, width}, rounding = 0.006 }
local around = shape:bounds()
local apart = math.max(0.05, 0.7 * (around.max.z - around.min.z))
local share = args.model and (around.max.x - around.min.x) / length or 1

local function toffee(name, z, temperature)
  local bar = fem_body {
    name = name,
    surface = shape,
    edge = not args.model and 0.005 or nil,
    volume = lattice { tets = args.tets or 700 },
    at = {0, 0.12, z},
    material = {
      young = 2e6, poisson = 0.4, density = 1300, damping = { stiffness = 0.004 }, friction = 0.8,
      plasticity = creep { yield = 0.05, rate = 0.1, max = 3 },
      heat = { conductivity = 0.3, cooling = 5, initial = temperature,
               table = { {20, young = 2e6, yield = 0.05, rate = 0.1}, {60, young = 2e5, yield = 0.01, rate = 20} } },
      fracture = { strength = 1.5e5, noise = 0.1, propagation = 0.5, splits = 3 },
    },
    integrator = implicit_euler { iterations = 40 },
    color = {0.5, 0.2, 0.05},
  }
  for _, side in ipairs {-1, 1} do
    local hand = args.model and box { size = {0.06 * share, 1, 1}, at = {side > 0 and around.max.x or around.min.x, 0, z} }
                 or box { size = {0.03, 0.1, 0.1}, at = {side * length / 2, 0.12, z} }
    move { body = bar, inside = hand,
           path = function(t) return {side * 0.06 * share * math.min(1.3, math.max(0, t - 0.1)), 0, 0} end }
  end
  return bar
end

local cold, warm = toffee("cold", -apart, 20), toffee("warm", apart, 60)
ground { height = 0 }

measure("cold_pieces", function() return cold:pieces() end)
measure("warm_pieces", function() return warm:pieces() end)
measure("warm_plastic_strain", function() return warm:plastic_strain() end)
expect("the cold one snaps", function() return cold:pieces() >= 2, cold:pieces() .. " pieces" end)
expect("the warm one is drawn out", function() return warm:pieces() == 1 and warm:plastic_strain() > 0.2,
  string.format("%d pieces, mean plastic strain %.3f", warm:pieces(), warm:plastic_strain()) end)
