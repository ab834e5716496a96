-- A brick with all that an artist gives a mesh, at rest for a while and then pulled in two, by a crack or a cut.
world { dt = 0.005, duration = args.duration or 0.6, fps = 25, gravity = {0, 0, 0} }
camera { eye = {0.4, 0.5, 0.9}, target = {0, 0.05, 0} }
ground { height = -0.2 }
local brick = fem_body {
  name = "brick",
  surface = load(args.file or "brick.obj"),
  volume = args.cut_it and grid { cells = {12, 3, 3} } or grid { cells = {8, 2, 2} },
  cutting = args.cut_it and {} or nil,
  material = { young = 2e6, poisson = 0.3, density = 1000, damping = { stiffness = 0.01 },
               fracture = args.break_it and { strength = 2e6, propagation = 1, splits = 1 } or nil,
               regions = args.break_it and {{ inside = box { size = {0.05, 1, 1}, at = {0.02, 0, 0} }, strength = 2e4 }} or nil },
}
fix { body = brick, inside = box { size = {0.06, 1, 1}, at = {-0.2, 0, 0} } }
move { body = brick, inside = box { size = {0.06, 1, 1}, at = {0.2, 0, 0} },
       path = function(t) return {(args.break_it or args.cut_it) and 0.3 * math.max(0, t - 0.08) or 0, 0, 0} end }
if args.cut_it then cut { body = brick, normal = {1, 0.3, 0.2}, point = {0.02, 0.05, 0}, from = 0.04 } end
-- Moves as a whole, and meets nothing.
obstacle { name = "marker", shape = box { size = {0.1, 0.02, 0.02} }, at = {0, 0.4, 0}, velocity = {0.2, 0, 0}, spin = {0, 0, 100} }
measure("pieces", function() return brick:pieces() end)
