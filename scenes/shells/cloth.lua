-- Cloth that hangs from two corners and swings to rest over a ball: stretch under plane stress, smooth bending.
-- Look for: folds that fan out from the corners, no flicker, no fold through the ball or the cloth.
--
--   pliant run scenes/shells/cloth.lua -o out && pliant render out --sheet 3x2 -o cloth.png
world { duration = 3, dt = 0.005, fps = 30, contact = "barrier" }

local cloth = shell_body {
    name = "cloth",
    surface = sheet { size = { 1, 1 }, cells = args.cells or 32, at = { 0, 1.2, 0 } },
    thickness = 5e-4,
    bending_stiffness = 5e-6,
    material = { preset = "cloth", damping = { mass = 0.8, stiffness = 0.002 } },
    color = "#b5432f",
}
-- The two corners come nearer to each other, so that folds form between them.
for _, side in ipairs { -1, 1 } do
    move {
        body = cloth,
        inside = sphere { radius = 0.02, at = { 0.5 * side, 1.2, 0.5 } },
        path = function(t) return { -0.1 * side * math.min(t, 1), 0, 0 } end,
    }
end

obstacle { name = "ball", shape = sphere { radius = 0.18 }, at = { 0.05, 0.62, 0.3 }, color = "#6d7f94" }
ground { }

measure("stretch", function() return cloth:volume() / cloth:rest_volume() end)
measure("lowest", function() return cloth:bounds().min[2] end)
expect { measure = "stretch", at_least = 0.97, at_most = 1.1 }
