-- A coarse lattice carries an extremely fine surface (Wojtan & Turk 2008, figure 4): 20,000 tets below 360,000 triangles
-- there. A ball with a relief sags on the ground and keeps every wrinkle of it.
-- Look for: dents of a few millimetres that stay while the ball flattens.
--
--   pliant run scenes/flow/fine.lua
--   pliant run scenes/flow/fine.lua --set edge=0.0027     (the paper's number of triangles)

world { dt = 0.005, duration = args.duration or 0.5, fps = 50 }
camera { eye = {0.4, 0.35, 0.6}, target = {0, 0.1, 0}, fov = 30 }

local edge = args.edge or 0.006
local parts = { sphere { radius = 0.14 } }
for i = 1, 40 do  -- knobs on a spiral
  local y = 1 - 2 * (i - 0.5) / 40
  local r, a = math.sqrt(1 - y * y), 2.39996 * i
  table.insert(parts, sphere { radius = 0.022, at = {0.14 * r * math.cos(a), 0.14 * y, 0.14 * r * math.sin(a)} })
end
local ball = fem_body {
  name = "ball",
  surface = smooth_union { blend = 0.01, table.unpack(parts) },
  edge = edge,
  volume = lattice { cell = args.cell or 0.021 },
  at = {0, 0.175, 0},
  material = { preset = "clay", young = 1e5, plasticity = flow { yield = 300, rate = 20 } },
  remesh = { cell = args.cell or 0.021, condition = 1.5 },
  color = {0.35, 0.5, 0.75},
}
ground { height = 0, friction = 0.6 }

measure("height", function() return ball:height() end)
measure("remeshes", function() return ball:remeshes() end)
measure("volume_change", function() return ball:volume_change() end)
expect("the volume stays", function()
  return ball:volume_change() <= 0.005, string.format("changed by %.2g", ball:volume_change())
end)
expect("it sags", function() return ball:height() < 0.31, string.format("%.3f m high", ball:height()) end)
