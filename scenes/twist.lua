-- A bar twisted twice and released.
-- Both ends are held; one turns by 720 degrees in four seconds, then lets go. Every element rotates far, so linear
-- elasticity would blow up here; warped stiffness (Müller & Gross 2004, section 2.3) keeps the volume.
-- Look for: an even helix while twisting, a lively unwinding that ends in a straight bar.
--
--   pliant run scenes/twist.lua --export usd

world { dt = 0.01, duration = 8, fps = 50, gravity = {0, 0, 0} }

local length, side = 2.4, 0.4
local bar = fem_body {
  name = "bar",
  surface = box { size = {length, side, side} },
  volume = lattice { cell = args.cell or 0.1 },
  edge = 0.03,
  material = { young = 2e5, poisson = 0.4, density = 1000, damping = { mass = 1, stiffness = 0.01 } },
  color = {0.95, 0.55, 0.18},
}

fix    { body = bar, inside = box { size = {0.12, 1, 1}, at = {-length / 2, 0, 0} } }
rotate { body = bar, inside = box { size = {0.12, 1, 1}, at = { length / 2, 0, 0} },
         axis = {1, 0, 0}, center = {0, 0, 0}, angle = function(t) return 180 * math.min(t, 4) end, release = 4.5 }

measure("volume_change", function() return bar:volume() / bar:rest_volume() - 1 end)
expect { measure = "volume_change", at = "always", at_least = -0.25, at_most = 0.25 }
state.most = 0
on_frame(function() state.most = math.max(state.most, bar:elastic_energy()) end)
expect("the bar is straight again", function()
  local left = (bar:elastic_energy() + bar:kinetic_energy()) / state.most
  return left < 0.01, string.format("%.2g of its energy is left", left)
end)
