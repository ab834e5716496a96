-- A thin plate is folded in half and pressed flat.
-- Look for: two halves that lie on each other and do not pass through.
--
--   pliant run scenes/contact/fold.lua --check intersections

local length, width, thickness = 0.6, 0.2, 0.012
world { dt = 0.01, duration = tonumber(args.duration or 3), fps = 25, gravity = {0, 0, 0}, contact = "barrier" }
camera { eye = {0.5, 0.5, 0.9}, target = {0, 0.1, 0} }

local plate = fem_body {
  name = "plate",
  surface = box { size = {length, thickness, width} },
  edge = 0.025,
  volume = grid { cells = {48, 1, 12} },
  material = { young = 2e5, poisson = 0.4, density = 1000, friction = 0.2, damping = { mass = 2, stiffness = 0.01 } },
  color = "plum",
}
-- Both ends turn about the middle, towards each other, and stop when they have met.
for _, side in ipairs {-1, 1} do
  rotate { body = plate, inside = box { size = {0.03, 1, 1}, at = {side * length / 2, 0, 0} },
           axis = {0, 0, 1}, center = {side * 0.02, 0, 0}, angle = function(t) return side * 88 * math.min(t / 2, 1) end }
end
measure("volume_change", function() return plate:volume() / plate:rest_volume() - 1 end)
expect("its ends are up", function() return plate:bounds().max[2] > 0.2 end)
