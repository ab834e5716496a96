-- A plate of glass under a heavy weight (O'Brien & Hodgins 1999, figure 1, table 1): λ = μ = 1.04e8 Pa, ψ 6760 Pa·s,
-- ρ 2588 kg/m³, τ 10140. The plate lies on a frame, the weight strikes its middle.
-- Look for: crushed glass under the weight, and radial cracks away from it.
--
--   pliant run scenes/brittle/glass.lua --report glass.json
--   pliant run scenes/brittle/glass.lua --set steps=explicit

world { dt = args.dt or 5e-4, duration = args.duration or 0.1, fps = 200, seed = 1 }

local plate = fem_body {
  name = "plate",
  surface = box { size = {2, 0.06, 2}, at = {0, 0.53, 0} },
  volume = grid { cells = {args.cells or 16, 1, args.cells or 16}, jitter = 0.3 },
  material = include "parts/table1.lua" {
    lambda = 1.04e8, mu = 1.04e8, phi = 0, psi = 6760, rho = 2588, force = 10140, area = 0.02,
  },
  integrator = include "parts/steps.lua",
  color = {0.55, 0.78, 0.75},
}
for _, side in ipairs { {-0.95, 0, 0.1, 2}, {0.95, 0, 0.1, 2}, {0, -0.95, 2, 0.1}, {0, 0.95, 2, 0.1} } do
  obstacle { shape = box { size = {side[3], 0.498, side[4]}, at = {side[1], 0.249, side[2]} }, color = {0.3, 0.3, 0.32} }
end
ground { height = 0, friction = 0.6 }
-- The weight falls through the plate; it is so heavy that the plate hardly slows it.
local speed = args.impact or 4
obstacle { name = "weight", shape = cylinder { radius = 0.25, height = 0.3 }, color = {0.2, 0.2, 0.22},
           motion = function(t) return { at = {0.1, 0.72 - speed * math.min(t, 0.09), 0.05} } end }
camera { eye = {1.9, 2.4, 2.6}, target = {0, 0.4, 0}, fov = 36 }

measure("pieces", function() return plate:pieces() end)
measure("tets", function() return plate:tet_count() end)
expect("it shatters", function() return plate:pieces() >= 15, plate:pieces() .. " pieces" end)
