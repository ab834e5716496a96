-- Pinched cylinder (MacNeal & Harder 1985): two opposite forces on a cylinder whose ends stay round. An eighth of it,
-- clamped in the planes of symmetry. Under a force of 1 it gives way by 1.8248e-5. Diagonals alternate in this mesh, and
-- the point under the force goes in 8 % too far; with diagonals all one way it is 0.8 % (docs/shells.md).
--
--   pliant run scenes/shells/cylinder.lua --report r.json
world { duration = 3, dt = 1, fps = 1, gravity = { 0, 0, 0 } }

local R, L = 300, 300
local planes = union {
    box { size = { 1, 800, 800 } },                      -- x = 0
    box { size = { 800, 1, 800 } },                      -- y = 0
    box { size = { 800, 800, 1 }, at = { 0, 0, L } },    -- the middle of its length
}
local cylinder = shell_body {
    name = "cylinder",
    -- A quarter of a pipe: around the top by 90 degrees, turned so that it reaches from the y axis to the x axis.
    surface = pipe { radius = R, length = L, angle = 90, cells = 32, at = { 0, 0, L / 2 }, rotate = { 0, 0, -45 } },
    thickness = 3,
    material = { young = 3e6, poisson = 0.3, density = 1e-6 },
    integrator = implicit_euler { iterations = 20000, tolerance = 1e-8 },
    clamped = planes,
    collide = false,
    color = "#8fa3b8",
}
fix { body = cylinder, inside = box { size = { 800, 800, 1 } }, axes = "xy" }
fix { body = cylinder, inside = box { size = { 1, 800, 800 } }, axes = "x" }
fix { body = cylinder, inside = box { size = { 800, 1, 800 } }, axes = "y" }
fix { body = cylinder, inside = box { size = { 800, 800, 1 }, at = { 0, 0, L } }, axes = "z" }
pull { body = cylinder, at = { 0, R, L }, force = { 0, -0.25, 0 } }

measure("deflection", function() return R - cylinder:point(0, R, L)[2] end)
expect { measure = "deflection", at_least = 1.8248e-5 * 0.9, at_most = 1.8248e-5 * 1.1 }
camera { eye = { 900, 700, 900 }, target = { 120, 120, 150 } }
