-- A thin wall, clamped at the bottom, is struck by a heavy weight (O'Brien, Bargteil & Hodgins 2002, figure 3): the same
-- wall shatters, breaks into large pieces or tears and bends, by how much it yields before it fails.
-- gamma1, gamma2: as the paper writes them, of a strain without the factor 1/2; 0 and 0 is brittle.
-- Look for: with gamma2 = 0 shards; with 0.486 a hole with bent flaps, and a wall that stays bent.
--
--   pliant run scenes/ductile/wall.lua --set gamma1=0.001 gamma2=0.486
--   pliant run scenes/ductile/wall.lua --set gamma1=0 gamma2=0 steps=explicit

world { dt = args.dt or 5e-4, duration = args.duration or 0.3, fps = 100, seed = 1 }

local gamma1, gamma2 = args.gamma1 or 0.001, args.gamma2 or 0.486
local plastic = gamma2 > 0 and finite_von_mises { yield = gamma1 / 2, max = gamma2 / 2 } or nil

local wall = fem_body {
  name = "wall",
  surface = box { size = {2, 2, 0.08}, at = {0, 1, 0} },
  volume = grid { cells = {16, 16, 1}, jitter = 0.3 },
  material = {
    young = 2e7, poisson = 0.3, density = 1000, friction = 0.4, elasticity = "green", law = { phi = 200, psi = 400 },
    plasticity = plastic,
    fracture = { through_elements = true, toughness = args.toughness or 2e5, splits = 1000 },
  },
  integrator = include "parts/steps.lua",
  color = {0.3, 0.45, 0.62},
}
fix { body = wall, inside = box { size = {3, 0.1, 1}, at = {0, 0, 0} } }
ground { height = 0, friction = 0.6 }

obstacle { name = "weight", shape = sphere { radius = 0.3 }, friction = 0.3, color = {0.25, 0.25, 0.25},
           motion = function(t) return { at = {0.1, 1.25, 0.42 - 6 * math.min(t, 0.15)} } end }
camera { eye = {2.2, 2.0, 4.2}, target = {0, 0.95, 0}, fov = 34 }

measure("pieces", function() return wall:pieces() end)
measure("plastic_strain", function() return wall:plastic_strain() end)
if gamma2 == 0 then
  expect("it shatters", function() return wall:pieces() >= 20, wall:pieces() .. " pieces" end)
elseif gamma1 <= 0.01 and gamma2 >= 0.3 then
  expect("it tears and bends", function()
    return wall:pieces() < 20 and wall:plastic_strain() > 0.005,
      string.format("%d pieces, mean plastic strain %.3f", wall:pieces(), wall:plastic_strain())
  end)
end
