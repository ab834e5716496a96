-- A sheet is folded over onto itself.
-- Look for: two layers that lie on each other from the free edge to the fold, with a hair between them and no crossing.
--
--   pliant run scenes/contact/fold.lua --check intersections

local length, thickness, width = 0.8, 0.01, 0.3

world { dt = tonumber(args.dt or 0.01), duration = 4, fps = 25, contact = "barrier" }
camera { eye = {0.5, 0.5, 1.6}, target = {0, 0.12, 0} }
ground { height = 0, friction = 0.3 }
local sheet = fem_body {
  name = "sheet",
  surface = box { size = {length, thickness, width} },
  edge = 0.02,
  volume = grid { cells = {40, 1, 12} },
  at = {0, thickness / 2 + 0.001, 0},
  material = { young = 1e5, poisson = 0.3, density = 500, friction = 0.3, damping = { mass = 0.5, stiffness = 0.005 } },
  color = "steelblue",
}
fix { body = sheet, inside = box { size = {0.02, 1, 1}, at = {-length / 2, 0, 0} } }
-- The free edge is turned over in two seconds and let go.
rotate { body = sheet, inside = box { size = {0.021, 1, 1}, at = {length / 2, 0, 0} }, axis = {0, 0, 1},
         center = {0, 0.03, 0}, angle = function(t) return 180 * math.min(t / 2, 1) end, release = 2 }
measure("height", function() return sheet:height() end)
measure("volume_change", function() return sheet:volume() / sheet:rest_volume() - 1 end)
expect("its free edge lies on the other half", function()
  local edge = sheet:point(length / 2, thickness / 2, 0)
  return edge[2] < 4 * thickness and edge[2] > 1.4 * thickness and edge[1] < 0,
    string.format("it is %.4f m up at x = %.3f m; two layers are %.3f m", edge[2], edge[1], 2 * thickness)
end)
