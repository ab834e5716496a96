-- A bowl falls from 1 m onto its edge (O'Brien & Hodgins 1999, figure 13, table 1): λ 0, μ 5.29e7 Pa, ψ 198 Pa·s,
-- ρ 1013 kg/m³. It starts just above the ground, with the speed of the fall.
-- Look for: it fails first where it strikes the ground, then cracks run up from there, and it comes apart in several large
-- pieces. Frames are 13 ms apart, as in the paper's lower strip, when drawn with --every 13.
--
--   pliant run scenes/brittle/comparison-bowl.lua --report bowl.json
--   pliant run scenes/brittle/comparison-bowl.lua --set steps=explicit

world { dt = args.dt or 2.5e-4, duration = args.duration or 0.08, fps = 1000, seed = 1 }

local mu = 5.29e7
local bowl = fem_body {
  name = "bowl",
  volume = structured("bowl:radius=0.1,wall=0.008,depth=0.06,cells=" .. (args.cells or 20)),
  rotate = {35, 0, 0}, at = {0, 0.09, 0},  -- its rim strikes first
  velocity = {0, -4.43, 0},
  material = {
    young = 2 * mu, poisson = 0, density = 1013, friction = 0.4,
    elasticity = "green", law = { phi = 0, psi = 198 },
    fracture = { through_elements = true, toughness = args.toughness or 4e5, splits = 1000, touch = args.touch == true },
  },
  integrator = include "parts/steps.lua",
  color = {0.85, 0.8, 0.72},
}
ground { height = 0, friction = 0.5 }
camera { eye = {0.3, 0.22, 0.45}, target = {0, 0.05, 0}, fov = 30 }

measure("pieces", function() return bowl:pieces() end)
expect("it breaks", function() return bowl:pieces() >= 2, bowl:pieces() .. " pieces" end)
