-- One cube, dropped on the ground, from brick to nearly water by its numbers alone (Wojtan & Turk 2008, figure 3).
-- Look for: brick and jelly bounce, clay keeps a dent, ooze and honey run out, nearly water splashes.
-- cell: of the lattice; edge: of the surface's triangles. The paper's cubes have 7,500 tets and 12,000 triangles.
--
--   pliant run scenes/flow/cubes.lua --set material=honey
--   pliant run scenes/flow/cubes.lua --set material=clay --set cell=0.02

world { dt = args.dt or 0.005, duration = args.duration or 2, fps = 50 }
camera { eye = {0.8, 0.62, 1.25}, target = {0, 0.1, 0}, fov = 30 }

local names = { brick = {0.55, 0.2, 0.12}, clay = {0.6, 0.42, 0.3}, jelly = {0.8, 0.08, 0.12}, gel = {0.2, 0.6, 0.75},
                ooze = {0.3, 0.42, 0.14}, honey = {0.85, 0.5, 0.05}, slime = {0.3, 0.75, 0.2},
                toothpaste = {0.85, 0.92, 0.95}, batter = {0.92, 0.8, 0.55}, nearly_water = {0.3, 0.55, 0.8} }
local material = args.material or "honey"
assert(names[material], "material is one of brick, clay, jelly, gel, ooze, honey, slime, toothpaste, batter, nearly_water")

local size, cell = 0.2, args.cell or 0.025
local cube = fem_body {
  name = material,
  surface = box { size = {size, size, size}, rounding = 0.1 * size },
  edge = args.edge or 0.4 * cell,
  volume = lattice { cell = cell },
  at = {0, 0.3, 0},
  rotate = { axis = {1, 0.3, 0.6}, angle = 35 },
  material = { preset = material, friction = 0.6 },
  remesh = { cell = cell, edge = args.edge or 0.4 * cell },
  color = names[material],
}
ground { height = 0, friction = 0.6 }

measure("height", function() return cube:height() end)
measure("remeshes", function() return cube:remeshes() end)
measure("volume_change", function() return cube:volume_change() end)
expect("the volume stays", function()
  local most = material == "nearly_water" and 0.01 or 0.005
  return cube:volume_change() <= most, string.format("changed by %.2g", cube:volume_change())
end)
-- What is left of the height of 0.2 m: solids keep it, liquids do not.
local stands = { brick = {0.17, 0.3}, jelly = {0.17, 0.3}, clay = {0.15, 0.25}, gel = {0.1, 0.2} }
local least, most = table.unpack(stands[material] or {0, 0.15})
expect("it is as high as such a material stands", function()
  return cube:height() > least and cube:height() < most, string.format("%.3f m high", cube:height())
end)
