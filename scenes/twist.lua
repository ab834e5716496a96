-- A bar twisted twice and released.
-- Both ends are held; one turns by 720 degrees in four seconds, then lets go. Every element rotates far, so linear
-- elasticity would blow up here; warped stiffness (Müller & Gross 2004, section 2.3) keeps the volume.
-- Look for: an even helix while twisting, a lively unwinding that ends in a straight bar.
--
--   pliant run scenes/twist.lua --export usd

world { dt = 0.01, duration = 7, fps = 50, gravity = {0, 0, 0} }

local length, side = 1.6, 0.4
local bar = fem_body {
  name = "bar",
  surface = box { size = {length, side, side} },
  volume = lattice { cell = args.cell or 0.1 },
  resolution = 0.03,
  material = { young = 2e5, poisson = 0.4, density = 1000, damping = { stiffness = 0.01 } },
  color = {0.95, 0.55, 0.18},
}

local ends = {1, 0.3, 0.3}
fix    { body = bar, inside = box { size = {0.12, 1, 1}, at = {-length / 2, 0, 0} } }
rotate { body = bar, inside = box { size = {0.12, 1, 1}, at = { length / 2, 0, 0} },
         axis = {1, 0, 0}, center = {0, 0, 0}, angle = function(t) return 180 * math.min(t, 4) end, release = 4.5 }

local rest = nil
measure("volume_change", function()
  rest = rest or bar:rest_volume()
  return bar:volume() / rest - 1
end)
expect { measure = "volume_change", at = "always", at_least = -0.25, at_most = 0.25 }
expect("the bar is straight again", function() return bar:max_speed() < 0.5 end)
