-- A soft bar is drawn by its stiff stem through a hole half as wide as itself.
-- Look for: a bar that narrows, comes through and is as thick as before below; its volume is kept, and nothing crosses.
--
--   pliant run scenes/contact/squeeze.lua --check intersections

local radius, hole = 0.1, tonumber(args.hole or 0.05)  -- half widths
local cell = tonumber(args.cell or 0.025)

world { dt = tonumber(args.dt or 0.01), duration = 4, fps = 25, gravity = {0, 0, 0}, contact = "barrier" }
camera { eye = {1.2, 0.5, 3.0}, target = {0, -0.22, 0} }
obstacle {
  name = "plate",
  shape = difference {
    box { size = {0.36, 0.08, 0.36}, rounding = 0.02 },
    cylinder { height = 0.2, radius = hole },
    cone { height = 0.12, radius = 0.02, top = 0.14, at = {0, 0.02, 0} },
  },
  friction = 0.05,
  color = "silver",
}
local bar = fem_body {
  name = "bar",
  surface = smooth_union { blend = 0.04,
    capsule { a = {0, 0.2, 0}, b = {0, 0.36, 0}, radius = radius },
    capsule { a = {0, -0.14, 0}, b = {0, 0.2, 0}, radius = 0.045 },
  },
  edge = 0.8 * cell,
  volume = lattice { cell = cell },
  material = { young = 2e4, poisson = 0.4, density = 1000, elasticity = "neo_hookean", friction = 0.05,
               damping = { stiffness = 0.01 },
               regions = {{ inside = box { size = {1, 0.5, 1}, at = {0, -0.1, 0} }, young = 2e6 }} },
  color = "coral",
}
move { body = bar, inside = box { size = {0.3, 0.04, 0.3}, at = {0, -0.16, 0} },
       path = function(t) return {0, -0.8 * math.min(t / 3, 1), 0} end }
measure("volume_change", function() return bar:volume() / bar:rest_volume() - 1 end)
measure("highest", function() return bar:height() end)
expect("all of it came through", function() return bar:height() < -0.04,
  string.format("its highest point is at %.3f m, the plate's underside at -0.04 m", bar:height()) end)
expect("its volume was kept", function()
  local change = bar:volume() / bar:rest_volume() - 1
  return math.abs(change) < 0.05, string.format("it changed by %.1f %%", 100 * change)
end)
