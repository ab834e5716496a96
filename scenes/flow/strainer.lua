-- A creature of slime drips through the bars of a strainer (Wojtan & Turk 2008, figure 6). It is made of built-in shapes;
-- --set model=FILE takes another closed surface.
-- Look for: legs first, drops that draw strands out behind them, a face that keeps its features while it sinks.
-- The paper's had 8,000 to 11,000 tets and took 30 s a frame. Contact by springs: strands go through each other.
--
--   pliant run scenes/flow/strainer.lua

world { dt = args.dt or 0.005, duration = args.duration or 2, fps = 50 }
camera { eye = {0.5, 0.45, 1.1}, target = {0, 0.25, 0}, fov = 34 }

local function creature()
  local parts = {
    ellipsoid { radii = {0.07, 0.08, 0.06}, at = {0, 0.12, 0} },
    sphere    { radius = 0.055, at = {0, 0.22, 0.02} },
    cone      { radius = 0.025, top = 0.006, height = 0.05, at = {0, 0.285, 0.02} },
  }
  for _, side in ipairs {-1, 1} do
    table.insert(parts, capsule { a = {side * 0.03, 0.06, 0}, b = {side * 0.06, 0.02, 0.03}, radius = 0.026 })
    table.insert(parts, capsule { a = {side * 0.06, 0.15, 0}, b = {side * 0.12, 0.12, 0.06}, radius = 0.02 })
    table.insert(parts, capsule { a = {side * 0.035, 0.26, 0}, b = {side * 0.06, 0.3, -0.01}, radius = 0.013 })
  end
  return smooth_union { blend = 0.015, table.unpack(parts) }
end

local cell = args.cell or 0.015
local slime = fem_body {
  name = "slime",
  surface = args.model and load { file = args.model, fit = 0.3 } or creature(),
  edge = args.edge or 0.005,
  volume = lattice { cell = cell },
  at = {0, 0.3, 0},
  material = { preset = "ooze", friction = 0.1, plasticity = flow { yield = 5, rate = 100 } },
  remesh = { cell = cell, edge = args.edge or 0.005 },
  color = {0.4, 0.65, 0.15},
}
for i = -3, 3 do
  for axis = 1, 2 do
    local size = axis == 1 and {0.01, 0.01, 0.4} or {0.4, 0.01, 0.01}
    obstacle { name = "bar " .. axis .. " " .. i, shape = box { size = size, rounding = 0.004,
                 at = axis == 1 and {i * 0.06, 0.29, 0} or {0, 0.29, i * 0.06} }, friction = 0.1, color = {0.6, 0.6, 0.62} }
  end
end
ground { height = 0, friction = 0.6 }

measure("lowest", function() return slime:bounds().min[2] end)
measure("remeshes", function() return slime:remeshes() end)
measure("volume_change", function() return slime:volume_change() end)
expect("the volume stays", function()
  return slime:volume_change() <= 0.005, string.format("changed by %.2g", slime:volume_change())
end)
expect("it comes through", function()
  return slime:bounds().min[2] < 0.2, string.format("lowest point at %.3f m", slime:bounds().min[2])
end)
