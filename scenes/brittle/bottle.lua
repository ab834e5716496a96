-- A thick-walled bottle with a stopper falls on its side from 6 m and bursts: the material of the comparison bowl
-- (O'Brien & Hodgins 1999, table 1), λ 0, μ 5.29e7 Pa, ψ 198 Pa·s, ρ 1013 kg/m³, τ 106.
-- Look for: it breaks where it strikes the ground, and cracks run round and along it.
--
--   pliant run scenes/brittle/bottle.lua --report bottle.json
--   pliant run scenes/brittle/bottle.lua --set steps=explicit

world { dt = args.dt or 2.5e-4, duration = args.duration or 0.06, fps = 200, seed = 1 }

local bottle = fem_body {
  name = "bottle",
  surface = difference {
    union { cylinder { radius = 0.05, height = 0.16 }, cone { radius = 0.05, height = 0.06, at = {0, 0.11, 0} },
            cylinder { radius = 0.02, height = 0.08, at = {0, 0.14, 0} } },
    union { cylinder { radius = 0.032, height = 0.12 }, cone { radius = 0.032, height = 0.04, at = {0, 0.08, 0} } },
  },
  edge = 0.01,
  volume = conforming { cell = args.cell or 0.014 },
  rotate = {0, 0, 80}, at = {0, 0.06, 0}, velocity = {0, -11, 0},
  material = include "parts/table1.lua" {
    lambda = 0, mu = 5.29e7, phi = 0, psi = 198, rho = 1013, force = 106, area = 1.6e-4,
  },
  integrator = include "parts/steps.lua",
  color = {0.3, 0.55, 0.35},
}
ground { height = 0, friction = 0.5 }
camera { eye = {0.22, 0.3, 0.62}, target = {0, 0.06, 0}, fov = 36 }

measure("pieces", function() return bottle:pieces() end)
measure("tets", function() return bottle:tet_count() end)
expect("it bursts", function() return bottle:pieces() >= 5, bottle:pieces() .. " pieces" end)
