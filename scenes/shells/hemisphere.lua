-- Hemisphere with a hole of 18 degrees (MacNeal & Harder 1985): four forces on its rim, two outward and two inward. A
-- quarter of it, clamped in the planes of symmetry. The rim moves by 0.0924 under forces of 2.
--
--   pliant run scenes/shells/hemisphere.lua --report r.json
world { duration = 4, dt = 1, fps = 1, gravity = { 0, 0, 0 } }

local R = 10
local dome = shell_body {
    name = "hemisphere",
    surface = dome { radius = R, from = 0, to = 72, angle = 90, cells = 24 },
    thickness = 0.04,
    material = { young = 6.825e7, poisson = 0.3, density = 1e-3 },
    integrator = implicit_euler { iterations = 20000, tolerance = 1e-8 },
    clamped = union { box { size = { 0.01, 30, 30 } }, box { size = { 30, 30, 0.01 } } },
    collide = false,
    color = "#b58a5a",
}
fix { body = dome, inside = box { size = { 0.01, 30, 30 } }, axes = "x" }
fix { body = dome, inside = box { size = { 30, 30, 0.01 } }, axes = "z" }
fix { body = dome, inside = sphere { radius = 0.1, at = { R, 0, 0 } }, axes = "y" }
-- Loads of 1 on each half of the points; a thousandth of that, so that displacements stay small.
pull { body = dome, at = { R, 0, 0 }, force = { 1e-3, 0, 0 } }
pull { body = dome, at = { 0, 0, R }, force = { 0, 0, -1e-3 } }

measure("deflection", function()
    return 1e3 * 0.5 * (dome:point(R, 0, 0)[1] - R + R - dome:point(0, 0, R)[3])
end)
expect { measure = "deflection", at_least = 0.0924 * 0.98, at_most = 0.0924 * 1.02 }
camera { eye = { 22, 16, 22 }, target = { 4, 4, 4 } }
