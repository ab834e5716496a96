-- A scalpel slices a soft brick that hangs between two hands: the cut opens as the blade goes, and a second one parts it.
-- Figure 4 of Molino, Bao & Fedkiw 2004. Elements that the blade goes through become two, each with its share.
--
--   pliant run scenes/virtual-nodes/brick.lua -o out && pliant render out --sheet 3x2 -o brick.png
world { duration = 2.4, dt = 0.005, fps = 50 }
camera { eye = { 1.5, 1.3, 2.2 }, target = { 0, 0.02, 0 }, fov = 30 }

local brick = fem_body {
    name = "brick",
    surface = box { size = { 1.2, 0.4, 0.5 } },
    volume = grid { cells = { 24, 8, 10 } },
    material = { young = 4e4, poisson = 0.4, density = 1000, damping = { mass = 1, stiffness = 0.004 } },
    color = "#c05a46",
}

local function pulled(side)
    move {
        body = brick,
        inside = box { size = { 0.06, 1, 1 }, at = { side * 0.6, 0, 0 } },
        path = function(t) return { side * 0.06 * math.min(t / 0.4, 1), 0, 0 } end,
    }
end
pulled(-1)
pulled(1)

-- Aslant through no node in particular, two thirds of the way down, from back to front.
cut {
    body = brick,
    path = { { -0.113, 0.21, -0.3 }, { 0.071, 0.21, 0.3 } },
    direction = { 0.1, -1, 0 },
    depth = 0.29,
    from = 0.5,
    till = 1.3,
}
-- The rest: the same plane once more, all the way.
cut { body = brick, path = { { -0.113, 0.31, -0.3 }, { 0.071, 0.31, 0.3 } }, direction = { 0.1, -1, 0 }, from = 1.6, till = 2 }

measure("pieces", function() return brick:pieces() end)
measure("mass", function() return brick:mass() end)
expect { measure = "pieces", at_least = 2, at_most = 2 }
expect { measure = "mass", at = "always", at_least = 239.9999999, at_most = 240.0000001 }
