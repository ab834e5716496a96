-- Shear (Everts 2006, section 9.4, figures 9.5 and 9.6). Two opposite faces of a rubber cube of 1 m are moved along each
-- other until it leans over by γ = 0.57; the shear force through the middle is expected to be A γ G = 5.7e5 N.
--
--   pliant run scenes/everts/shear.lua --set model=cmpm1         or cmpm2, cmpm3, spring, fem
local model = args.model or "cmpm1"
local angle, slow = args.angle or 0.57, 0.4

world { dt = 0.005, duration = 0.5, fps = 50, gravity = { 0, 0, 0 } }

local cube = include "parts/cube.lua"(model, { cells = args.cells, color = { 0.3, 0.5, 0.8 }, poisson = args.poisson })

for _, side in ipairs { -1, 1 } do
  move_steady { body = cube, axis = "y", at = 0.5 * side, direction = "x",
                speed = side * math.tan(angle) / 2 / slow, till = slow, free = false }
end

flux { body = cube, axis = "y", at = 0.02, along = "x" }
measure("flux_total", function() return cube:flux("y", 0.02).total.x end)
measure("angle", function()
  local top, bottom = cube:point(0.5, 0.5, 0.5), cube:point(0.5, -0.5, 0.5)
  return math.atan(top.x - bottom.x, top.y - bottom.y)
end)

expect { measure = "angle", near = angle, within = 0.02 }
-- Simple shear by γ turns a cube by θ = atan(γ/2); its shear stress is 2 G (γ − sin θ). Springs in tets have ν = 1/4, and
-- cmpm1 and cmpm2 0.857 of E (docs/particles.md).
local nu, share = args.poisson or 0.45, 1
if model == "spring" then nu = 0.25 end
if model == "cmpm1" or model == "cmpm2" then share = 0.857 end
local gamma = math.tan(angle)
local force = share * 3e6 / (1 + nu) * (gamma - math.sin(math.atan(gamma / 2)))
-- The free sides bend, and the more so the easier the volume changes.
expect { measure = "flux_total", near = force, within = (args.poisson and 0.2 or 0.1) * force }
