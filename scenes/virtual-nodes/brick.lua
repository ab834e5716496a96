-- A scalpel slices a stretched brick: the cut opens behind the blade, and at its end there are two bricks.
-- Figure 4 of Molino, Bao & Fedkiw 2004. Elements that the blade goes through become two, each with its share of
-- mass and stiffness; the first, shallow cut is a partial one.
--
--   pliant run scenes/virtual-nodes/brick.lua -o out && pliant render out --sheet 3x2 -o brick.png
world { duration = 2.4, dt = 0.005, fps = 50 }
camera { eye = { 1.3, 1.5, 2.1 }, target = { 0, -0.03, 0 }, fov = 34 }

local brick = fem_body {
    name = "brick",
    surface = box { size = { 1.2, 0.4, 0.5 } },
    volume = grid { cells = { 24, 8, 10 } },
    material = { young = 1e5, poisson = 0.4, density = 1000, damping = { mass = 2, stiffness = 0.004 } },
    color = "#c05a46",
}
for _, side in ipairs { -1, 1 } do
    move {
        body = brick,
        inside = box { size = { 0.06, 1, 1 }, at = { side * 0.6, 0, 0 } },
        path = function(t) return { side * 0.16 * math.min(t / 0.4, 1), 0, 0 } end,
    }
end

-- A scratch, with a corner in it, through no node in particular.
cut {
    body = brick,
    path = { { -0.31, 0.3, -0.35 }, { -0.25, 0.3, 0.02 }, { -0.33, 0.3, 0.35 } },
    depth = 0.22,
    from = 0.4,
    till = 0.8,
}
-- All the way down, from front to back, aslant.
cut {
    body = brick,
    path = { { 0.171, 0.3, 0.35 }, { 0.013, 0.3, -0.35 } },
    direction = { 0.1, -1, 0 },
    from = 0.9,
    till = 2,
}

measure("pieces", function() return brick:pieces() end)
measure("mass", function() return brick:mass() end)
expect { measure = "pieces", at_least = 2, at_most = 2 }
expect { measure = "mass", at = "always", at_least = 240 * (1 - 1e-12), at_most = 240 * (1 + 1e-12) }
