-- A bowl that falls flat onto hard ground, of the material of bowls 1 to 4 (O'Brien & Hodgins 1999, figure 11, table 1).
-- `force`: τ of the table, N. The four bowls differ in nothing else.
return function(force)
  world { dt = args.dt or 5e-4, duration = args.duration or 0.12, fps = 200, seed = args.seed or 1 }
  local bowl = fem_body {
    name = "bowl",
    volume = structured("bowl:radius=0.1,wall=0.01,depth=0.06,cells=" .. (args.cells or 16)),
    rotate = {(args.tilt or 12) - 90, 0, 0}, at = {0, 0.09, 0}, velocity = {0, -4.43, 0},  -- after a fall of 1 m
    material = include "parts/table1.lua" {
      lambda = 2.65e6, mu = 3.97e6, phi = 264, psi = 397, rho = 1013, force = force, area = 2.5e-4,
    },
    integrator = include "parts/steps.lua",
    color = {0.78, 0.82, 0.86},
  }
  ground { height = 0, friction = 0.5 }
  camera { eye = {0.28, 0.26, 0.42}, target = {0, 0.02, 0}, fov = 32 }
  measure("pieces", function() return bowl:pieces() end)
  measure("tets", function() return bowl:tet_count() end)
  return bowl
end
