-- A flap of skin is cut on three sides, undermined, lifted and turned back on its hinge, as surgeons do.
-- The outline is a polyline on the surface with a depth; the last cut runs below the skin, along it.
--
--   pliant run scenes/virtual-nodes/flap.lua -o out && pliant render out --sheet 3x2 -o flap.png
world { duration = 3, dt = 0.005, fps = 50, gravity = { 0, 0, 0 } }
camera { eye = { 0.13, 0.14, 0.16 }, target = { 0, 0.01, 0 }, fov = 30 }

local depth, n = 0.006, tonumber(args.cells or 6)  -- cells through the skin
local skin = fem_body {
    name = "skin",
    surface = box { size = { 0.12, 0.02, 0.1 } },
    volume = grid { cells = { 5 * n, n, 4 * n + 1 } },
    material = { young = 3e4, poisson = 0.4, density = 1000, damping = { mass = 8, stiffness = 0.01 } },
    color = "#e0a488",
}
fix { body = skin, inside = box { size = { 1, 0.004, 1 }, at = { 0, -0.01, 0 } } }

local x, front, back = 0.0213, 0.0317, -0.0213
-- Down one side, across, and up the other: three sides of the flap; the fourth is its hinge.
cut {
    body = skin,
    path = { { -x, 0.012, back }, { -x, 0.012, front }, { x, 0.012, front }, { x, 0.012, back } },
    depth = depth + 0.002,
    thickness = 2e-4,
    from = 0.2,
    till = 1,
}
-- Below it, from the front to the hinge: the blade lies flat and points backward.
cut {
    body = skin,
    path = { { -x - 1e-4, 0.01 - depth + 1e-4, front + 1e-4 }, { x + 1e-4, 0.01 - depth + 1e-4, front + 1e-4 } },
    direction = { 0, 0, -1 },
    depth = front - back,
    thickness = 2e-4,
    from = 1.1,
    till = 1.5,
}
-- Forceps take the front edge, lift it and lay it back.
for _, side in ipairs { -1, 0, 1 } do
    drag {
        body = skin,
        at = { side * 0.016, 0.0099, front - 0.002 },
        to = function(t)
            local s = math.min(math.max((t - 1.6) / 1.2, 0), 1)
            local a = math.rad(110 * s)
            local r = front - 0.002 - back
            return { side * 0.016, 0.0099 + r * math.sin(a), back + r * math.cos(a) }
        end,
        from = 1.55,
    }
end
measure("pieces", function() return skin:pieces() end)
measure("height", function() return skin:height() end)
expect { measure = "pieces", at = "always", at_least = 1, at_most = 1 }
expect { measure = "height", at_least = 0.04 }
