-- The brick of brick.lua, made of one material whose strength is painted, at its vertices or in a picture that lies on it:
-- it breaks in the red band.
world { dt = 0.005, duration = 0.4, fps = 25, gravity = {0, 0, 0} }
local brick = fem_body {
  name = "brick",
  surface = load(args.picture and "brick.obj" or "painted.obj"),
  volume = grid { cells = {8, 2, 2} },
  material = { young = 2e6, poisson = 0.3, density = 1000, damping = { stiffness = 0.01 },
               fracture = { strength = 5e6, splits = 1 },
               paint = { strength = { texture = args.picture and picture(args.picture) or nil, channel = "red", from = 2e6, to = 2e4, blend = "log" } } },
}
fix { body = brick, inside = box { size = {0.06, 1, 1}, at = {-0.2, 0, 0} } }
move { body = brick, inside = box { size = {0.06, 1, 1}, at = {0.2, 0, 0} },
       path = function(t) return {0.3 * t, 0, 0} end }
measure("pieces", function() return brick:pieces() end)
expect("it comes in two", function() return brick:pieces() >= 2, brick:pieces() .. " pieces" end)
