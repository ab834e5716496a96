-- A block is cut in two, the half that is left is carved into a figure, and its soft belly jiggles when it lands.
-- Figures 4, 10 and 13 of Molino, Bao & Fedkiw 2004 in one run: the level set is that of the figure at the nodes, and
-- elements stay whole in shape, with their share of material. args.cells = 1 has 24,000 tets; 2.75 has 500,000.
--
--   pliant run scenes/virtual-nodes/carved.lua -o out && pliant render out --sheet 3x2 -o carved.png
local n = tonumber(args.cells or 1)
world { duration = 2, dt = 0.005, fps = 50 }
camera { eye = { 1.0, 1.5, 3.2 }, target = { 0.1, 0.5, 0 }, fov = 34 }

local belly = sphere { radius = 0.2 }:at { 0, 0.36, 0.2 }
local figure = smooth_union {
    blend = 0.06,
    sphere { radius = 0.34 }:at { 0, 0.36, 0 },
    sphere { radius = 0.19 }:at { 0, 0.82, 0 },
    sphere { radius = 0.1 }:at { -0.33, 0.5, 0.08 },
    sphere { radius = 0.1 }:at { 0.33, 0.5, 0.08 },
    box { size = { 0.7, 0.12, 0.66 } }:at { 0, 0.06, 0 },
}
local block = fem_body {
    name = "block",
    surface = box { size = { 1.6, 1.1, 0.8 } }:at { 0.3, 0.55, 0 },
    volume = grid { cells = { math.floor(20 * n), math.floor(20 * n), math.floor(10 * n) } },
    material = {
        young = 2e5,
        poisson = 0.35,
        density = 1000,
        damping = { mass = 1, stiffness = 0.002 },
        regions = { { inside = belly, young = 2e4 } },
    },
    color = "#b9c4a8",
}
ground { friction = 0.9 }
-- A saw of some thickness takes off what the figure does not need, then that is carried away.
cut { body = block, path = { { 0.47, 1.3, -0.6 }, { 0.5, 1.3, 0.6 } }, thickness = 0.01, from = 0.1, till = 0.3 }
cut { body = block, along = box { size = { 1.2, 2, 2 } }:at { 1.0, 0.55, 0 }, carve = true, from = 0.4 }
-- Carved: everything but the figure, then the belly is struck.
cut { body = block, along = difference { box { size = { 4, 4, 4 } }, figure }, carve = true, from = 0.6 }
pull { body = block, inside = belly, force = { 0, -100, 200 }, from = 0.9, till = 1.0 }

measure("pieces", function() return block:pieces() end)
measure("volume", function() return block:volume() end)
expect { measure = "pieces", at_least = 1, at_most = 1 }
-- Of the figure: cells this large round its curves off by a few per cent.
expect { measure = "volume", at_least = 0.2, at_most = 0.3 }
