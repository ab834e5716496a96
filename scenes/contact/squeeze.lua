-- A soft bar is pressed through a hole half its width.
-- Look for: a bar that folds in, slips through and comes out whole, and no surface that crosses another.
--
--   pliant run scenes/contact/squeeze.lua --check intersections

local width = 0.2
world { dt = 0.01, duration = tonumber(args.duration or 3), fps = 25, gravity = {0, 0, 0}, contact = "barrier" }
camera { eye = {0.7, 0.6, 1.2}, target = {0, 0, 0} }

local bar = fem_body {
  name = "bar",
  surface = capsule { a = {0, 0.16, 0}, b = {0, 0.5, 0}, radius = width / 2 },
  edge = 0.03,
  volume = lattice { cell = 0.05 },
  material = { young = 5e4, poisson = 0.4, density = 1000, friction = 0.05, damping = { mass = 1, stiffness = 0.01 } },
  color = "salmon",
}
obstacle {
  name = "plate",
  shape = difference {
    box { size = {0.7, 0.06, 0.7}, rounding = 0.02 },
    cylinder { a = {0, -0.1, 0}, b = {0, 0.1, 0}, radius = width / 4 },
  },
  friction = 0.05,
}
local down = tonumber(args.down or 0.5)
move { body = bar, inside = box { size = {0.3, 0.1, 0.3}, at = {0, 0.55, 0} },
       path = function(t) return {0, -down * math.min(t / 2.5, 1), 0} end }
measure("volume_change", function() return bar:volume() / bar:rest_volume() - 1 end)
measure("lowest", function() return bar:bounds().min[2] end)
expect("its end has come through the plate", function()
  return bar:bounds().min[2] < -0.1, string.format("its lowest point is at %.3f m", bar:bounds().min[2])
end)
