-- A thin sheet is torn apart (O'Brien, Bargteil & Hodgins 2002, figure 5): the left half of its upper edge is drawn one
-- way and the right half the other, as one tears paper.
-- Look for: a tear that starts in the middle of the upper edge and runs down, with bent edges.
--
--   pliant run scenes/ductile/sheet.lua --report sheet.json
--   pliant run scenes/ductile/sheet.lua --set steps=explicit

world { dt = args.dt or 1e-3, duration = args.duration or 0.4, fps = 50, gravity = {0, 0, 0}, seed = 1 }

local sheet_body = fem_body {
  name = "sheet",
  surface = box { size = {1, 0.8, 0.03} },
  volume = grid { cells = {16, 13, 1}, jitter = 0.3 },
  material = include "parts/material.lua" { young = 5e6, gamma1 = 0.01, gamma2 = 0.3, toughness = 3e5 },
  integrator = include "parts/steps.lua",
  color = {0.45, 0.6, 0.7},
}
fix { body = sheet_body, inside = box { size = {2, 0.07, 1}, at = {0, -0.4, 0} } }
local function half(side)
  return { body = sheet_body, inside = box { size = {0.44, 0.12, 1}, at = {0.28 * side, 0.4, 0} },
           path = function(t) return {0.7 * side * t, 0.2 * t, 0.7 * side * t} end }
end
move(half(1))
move(half(-1))
camera { eye = {0.9, 0.7, 2.0}, target = {0, 0, 0}, fov = 36 }

measure("tets", function() return sheet_body:tet_count() end)
measure("plastic_strain", function() return sheet_body:plastic_strain() end)
measure("cut", function()
  local a, b = sheet_body:point(-0.1, 0.4, 0), sheet_body:point(0.1, 0.4, 0)
  return math.sqrt((a[1] - b[1]) ^ 2 + (a[2] - b[2]) ^ 2 + (a[3] - b[3]) ^ 2)
end)
expect("it tears and stays bent", function()
  return sheet_body:tet_count() > 16 * 13 * 6 and sheet_body:plastic_strain() > 0.003,
    string.format("%d tets, plastic strain %.4f", sheet_body:tet_count(), sheet_body:plastic_strain())
end)
