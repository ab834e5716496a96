-- A solid cylinder is pulled and twisted apart (O'Brien, Bargteil & Hodgins 2002, figure 4).
-- Look for: it draws out and tears, with a ragged break that follows the twist.
--
--   pliant run scenes/ductile/cylinder.lua --report cylinder.json
--   pliant run scenes/ductile/cylinder.lua --set steps=explicit

world { dt = args.dt or 1e-3, duration = args.duration or 0.5, fps = 50, gravity = {0, 0, 0}, seed = 1 }

local cylinder_body = fem_body {
  name = "cylinder",
  surface = cylinder { radius = 0.1, height = 0.6 }, edge = 0.04,
  volume = conforming { cell = args.cell or 0.05 },
  material = include "parts/material.lua" { young = 2e6, gamma1 = 0.04, gamma2 = 0.5, toughness = 2.5e5 },
  integrator = include "parts/steps.lua",
  color = {0.8, 0.55, 0.3},
}
rotate { body = cylinder_body, inside = box { size = {1, 0.12, 1}, at = {0, -0.27, 0} }, axis = "y", rate = 360 }
move { body = cylinder_body, inside = box { size = {1, 0.08, 1}, at = {0, 0.29, 0} },
       path = function(t) return {0, 1.0 * t, 0} end }
camera { eye = {0.9, 0.5, 1.6}, target = {0, 0.12, 0}, fov = 36 }

measure("pieces", function() return cylinder_body:pieces() end)
measure("plastic_strain", function() return cylinder_body:plastic_strain() end)
expect("it tears apart after it has yielded", function()
  return cylinder_body:pieces() >= 2 and cylinder_body:plastic_strain() > 0.02,
    string.format("%d pieces, plastic strain %.3f", cylinder_body:pieces(), cylinder_body:plastic_strain())
end)
