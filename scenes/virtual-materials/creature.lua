-- A creature is pulled by its head and let go (Müller & Gross 2004, table 1: the dragon's column, elasto-plastic part).
-- About 834 tets carry 10,000 triangles; E 1e5 Pa, ν 0.33, ρ 1000 kg/m³, plastic yield 0.1, creep 1 1/s, max 1,
-- dt 0.01 s, 20 iterations. The creature is made of built-in shapes; --set model=armadillo.off takes another one.
-- Look for: a neck that stretches, springs back most of the way, and keeps a little; large turns without growth.
-- --set dt=0.1 and --set stiffer=1000 try how stable it is.
--
--   pliant run scenes/virtual-materials/creature.lua

world { dt = args.dt or 0.01, duration = args.duration or 4, fps = args.dt and math.min(50, 1 / args.dt) or 50 }

local creature = include "parts/creature.lua"

local size = args.size or 0.35

local beast = fem_body {
  name = "creature",
  surface = args.model and load { file = args.model, fit = 1.1 * size } or creature():scaled(size),
  edge = not args.model and 0.022 * size or nil,
  volume = lattice { tets = args.tets or 834 },
  at = {0, (args.model and 0.5 or 0.01) * size, 0},
  material = {
    young = 1e5 * (args.stiffer or 1), poisson = 0.33, density = 1000, friction = 1, damping = { stiffness = 0.005 },
    plasticity = creep { yield = 0.1, rate = 1, max = 1 },
  },
  integrator = implicit_euler { iterations = 20 },
  color = {0.25, 0.5, 0.35},
}
ground { height = 0, friction = 1 }

-- The feet stand fast; a hand takes the head, draws it forward and up, turns it round, and lets go.
fix { body = beast, inside = box { size = {2 * size, 0.16 * size, 2 * size} } }
local hand = box { size = {0.5 * size, 0.5 * size, 0.5 * size}, at = {0.55 * size, 0.8 * size, 0} }
move { body = beast, inside = hand, release = 1.6, path = function(t)
  local s = math.min(1, t / 0.8)
  return {0.2 * size * s, 0.1 * size * s, 0.25 * size * math.sin(2 * math.pi * t / 0.8) * s}
end }

measure("head", function() return beast:point(0.47 * size, 0.73 * size, 0)[1] / size end)
measure("volume_change", function() return beast:volume() / beast:rest_volume() - 1 end)
measure("plastic_strain", function() return beast:plastic_strain() end)
measure("speed", function() return beast:max_speed() end)
expect { measure = "volume_change", at = "always", at_least = -0.25, at_most = 0.25 }
expect("it kept a little of it", function() return beast:plastic_strain() > 1e-4, string.format("%.4f", beast:plastic_strain()) end)
-- Slower than gravity makes it in half a step.
local slow = 0.5 * 9.81 * (args.dt or 0.01)
expect("it came to rest", function() return beast:max_speed() < slow, string.format("%.3f m/s", beast:max_speed()) end)
