-- Cake batter runs over the edge of a table and hangs down in a curtain.
-- Look for: a front that bulges over the edge, thins while it falls and drags the rest along.
--
--   pliant run scenes/flow/batter.lua

world { dt = args.dt or 0.005, duration = args.duration or 0.9, fps = 50 }
camera { eye = {0.55, 0.4, 0.6}, target = {0.1, 0.15, 0}, fov = 34 }

local cell = args.cell or 0.024
local batter = fem_body {
  name = "batter",
  surface = ellipsoid { radii = {0.09, 0.055, 0.08}, at = {-0.01, 0.27, 0} },
  edge = 0.014,
  volume = lattice { cell = cell },
  material = { preset = "batter", friction = 0.3 },
  remesh = { cell = cell, edge = 0.014 },
  color = {0.92, 0.8, 0.55},
}
obstacle { name = "table", shape = box { size = {0.4, 0.04, 0.5}, rounding = 0.008, at = {-0.17, 0.19, 0} }, friction = 0.3,
           color = {0.5, 0.35, 0.22} }
ground { height = 0, friction = 0.6 }

measure("lowest", function() return batter:bounds().min[2] end)
measure("remeshes", function() return batter:remeshes() end)
measure("volume_change", function() return batter:volume_change() end)
expect("the volume stays", function()
  return batter:volume_change() <= 0.01, string.format("changed by %.2g", batter:volume_change())
end)
expect("it runs over the edge", function() return batter:bounds().min[2] < 0.1, string.format("lowest point at %.3f m", batter:bounds().min[2]) end)
