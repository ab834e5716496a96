-- A plastic block is torn apart along cuts that a saw has left in it: it flows, narrows at the notches and stays long.
-- After figure 1 of Molino, Bao & Fedkiw 2004, where cracks grow by stress; here the knife says where. args.cells = 1
-- has 8,640 tets; args.cells = 3.53 has 380,000.
--
--   pliant run scenes/virtual-nodes/block.lua -o out && pliant render out --sheet 3x2 -o block.png
local n = tonumber(args.cells or 1)
world { duration = 2, dt = 0.005, fps = 50, gravity = { 0, 0, 0 } }
camera { eye = { 0.9, 0.9, 2.4 }, target = { 0, 0, 0 }, fov = 34 }

local block = fem_body {
    name = "block",
    surface = box { size = { 1, 0.6, 0.3 } },
    volume = grid { cells = { math.floor(20 * n), math.floor(12 * n), math.floor(6 * n) } },
    material = {
        young = 2e5,
        poisson = 0.35,
        density = 1000,
        damping = { mass = 2, stiffness = 0.002 },
        plasticity = creep { yield = 0.03, rate = 20, max = 0.6 },
    },
    color = "#4f7da8",
}
for _, side in ipairs { -1, 1 } do
    move {
        body = block,
        inside = box { size = { 0.08, 1, 1 }, at = { side * 0.5, 0, 0 } },
        path = function(t) return { side * 0.2 * math.min(t / 1.5, 1), 0, 0 } end,
    }
end
-- Slits from above and below, staggered, and one that tears the last bridge.
local slits = { { -0.24, 1 }, { -0.08, -1 }, { 0.07, 1 }, { 0.23, -1 } }
for i, slit in ipairs(slits) do
    local at, side = slit[1], slit[2]
    cut {
        body = block,
        path = { { at, side * 0.35, -0.2 }, { at + 0.03, side * 0.35, 0.2 } },
        direction = { 0.07, -side, 0 },
        depth = 0.42,
        from = 0.1 + 0.1 * i,
        till = 0.3 + 0.1 * i,
    }
end
cut { body = block, path = { { 0, 0.4, -0.2 }, { 0.01, 0.4, 0.2 } }, from = 1.2, till = 1.5 }
measure("pieces", function() return block:pieces() end)
measure("mass", function() return block:mass() end)
measure("strain", function() return block:plastic_strain() end)
expect { measure = "pieces", at_least = 2, at_most = 2 }
expect { measure = "mass", at = "always", at_least = 180 * (1 - 1e-12), at_most = 180 * (1 + 1e-12) }
expect { measure = "strain", at_least = 0.005 }
