-- A sheet of paper, held at one end, is folded over and crumples; let go, it hangs down with faint creases.
--
--   pliant run scenes/shells/paper.lua -o out && pliant render out --sheet 3x2 -o paper.png
world { duration = 2.5, dt = 0.004, fps = 30 }

local paper = shell_body {
    name = "paper",
    surface = sheet { size = { 0.297, 0.21 }, cells = { 18, 12 }, at = { 0, 0.3, 0 } },
    thickness = 1e-4,
    crease = 0.005,
    material = { preset = "paper", damping = { mass = 2 } },
    color = "#f2efe6",
}
fix { body = paper, inside = box { size = { 0.03, 0.02, 0.3 }, at = { -0.14, 0.3, 0 } } }
move {
    body = paper,
    inside = box { size = { 0.03, 0.02, 0.3 }, at = { 0.14, 0.3, 0 } },
    path = function(t)
        local s = math.min(t / 1.2, 1)
        return { -0.24 * s, -0.02 * math.sin(math.pi * s) - 0.03 * s, 0 }
    end,
    release = 1.4,
}
ground { }
measure("stretch", function() return paper:volume() / paper:rest_volume() end)
expect { measure = "stretch", at_least = 0.99, at_most = 1.01 }
