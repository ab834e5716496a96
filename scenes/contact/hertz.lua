-- A soft ball is pressed on a hard table: Hertz's contact.
-- A rigid plate moves the ball's equator down by a known approach; the force that the table feels follows
-- F = 4/3 E* sqrt(R) d^1.5 for a half ball, and the disc of contact has the radius sqrt(R d).
-- Look for: a flat disc below the ball, whose radius is within a few per cent of the formula.
--
--   pliant run scenes/contact/hertz.lua

local radius, young, poisson = 0.1, 1e6, 0.3
local approach = tonumber(args.approach or 0.004)

world { dt = 0.01, duration = 2, fps = 25, gravity = {0, 0, 0}, contact = "barrier" }
camera { eye = {0.15, 0.1, 0.4}, target = {0, 0.08, 0} }
ground { height = 0, friction = 0 }

local ball = fem_body {
  name = "ball",
  surface = sphere { radius = radius },
  volume = conforming { edge = tonumber(args.edge or 0.01) },
  at = {0, radius + 0.0003, 0},
  material = { young = young, poisson = poisson, density = 1000, damping = { mass = 2, stiffness = 0.01 } },
  color = "teal",
}
-- The upper half comes down as a whole.
move { body = ball, inside = box { size = {1, radius, 1}, at = {0, 1.5 * radius + 0.0003, 0} },
       path = function(t) return {0, -approach * math.min(t, 1), 0} end }
measure("height", function() return ball:bounds().min[2] end)
expect("it stays above the table", function() return ball:bounds().min[2] > 0 end)
