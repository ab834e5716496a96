-- Scordelis-Lo roof (Scordelis & Lo 1964; MacNeal & Harder 1985): a cylindrical roof on stiff ends under its weight.
-- The middle of its free edge sinks by 0.3024; the theory of shallow shells has 0.3086. Steps are so long that inertia
-- does not count (a thousandth of the load, since the answer is that of small displacements): each is an iteration of Newton's method for the state at rest.
--
--   pliant run scenes/shells/roof.lua --report r.json
world { duration = 3, dt = 1, fps = 1, gravity = { 0, 0, 0 } }

local half = math.rad(40)
local edge = { 25 * math.sin(half), 25 * math.cos(half) }
local roof = shell_body {
    name = "roof",
    surface = pipe { radius = 25, length = 50, angle = 80, cells = 32 },
    thickness = 0.25,
    material = { young = 4.32e8, poisson = 0, density = 1 },
    integrator = implicit_euler { iterations = 6000, tolerance = 1e-7 },
    collide = false,
    color = "#c9a46a",
}
for _, z in ipairs { -25, 25 } do
    fix { body = roof, inside = box { size = { 60, 60, 0.1 }, at = { 0, 20, z } }, axes = "xy" }
end
fix { body = roof, inside = sphere { radius = 0.5, at = { 0, 25, 0 } }, axes = "z" }
pull { body = roof, per_area = { 0, -0.09, 0 } }

measure("deflection", function() return 1e3 * (edge[2] - roof:point(edge[1], edge[2], 0)[2]) end)
expect { measure = "deflection", at_least = 0.3024 * 0.98, at_most = 0.3024 * 1.02 }
camera { eye = { 60, 60, 70 }, target = { 0, 20, 0 } }
