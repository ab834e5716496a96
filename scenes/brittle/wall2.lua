-- The second adobe wall (O'Brien & Hodgins 1999, figure 9b, table 1): λ 0, μ 1.81e8 Pa, ψ 18090 Pa·s, ρ 2309 kg/m³,
-- τ 6030. The ball is 50 times as heavy as the first wall's: the wall does not slow it.
-- Look for: the wall shatters, and the ball goes through it.
--
--   pliant run scenes/brittle/wall2.lua --report wall2.json
--   pliant run scenes/brittle/wall2.lua --set steps=explicit

world { dt = args.dt or 5e-4, duration = args.duration or 0.2, fps = 100, seed = 1 }

local wall = fem_body {
  name = "wall",
  surface = box { size = {4, 3, 0.3}, at = {0, 1.5, 0} },
  volume = grid { cells = {12, 12, 1}, jitter = 0.3 },
  material = include "parts/table1.lua" {
    lambda = 0, mu = 1.81e8, phi = 0, psi = 18090, rho = 2309, force = 6030, area = 0.05, friction = 0.6,
  },
  integrator = include "parts/steps.lua",
  color = {0.62, 0.43, 0.28},
}
fix { body = wall, inside = box { size = {5, 0.1, 1}, at = {0, 0, 0} } }
ground { height = 0, friction = 0.6 }
obstacle { name = "ball", shape = sphere { radius = 0.5 }, friction = 0.4, color = {0.2, 0.2, 0.22},
           motion = function(t) return { at = {0.3, 1.7, 0.7 - (args.impact or 5) * t} } end }
camera { eye = {4.5, 3.2, 7.5}, target = {0, 1.4, 0}, fov = 34 }

measure("pieces", function() return wall:pieces() end)
measure("tets", function() return wall:tet_count() end)
expect("it shatters", function() return wall:pieces() >= 30, wall:pieces() .. " pieces" end)
