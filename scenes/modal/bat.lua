-- A bat whose wings beat: its body follows a hand, the wings lag behind by their own modes (Hauser, Shen & O'Brien 2003,
-- table 1: 310 nodes, 1,030 tets, 20 modes).
-- Look for: wing tips that trail the body and overshoot it.
--
--   pliant run scenes/modal/bat.lua

world { dt = 1 / 60, duration = 3, fps = 30, gravity = {0, 0, 0} }

local shape = smooth_union { blend = 0.03,
  ellipsoid { radii = {0.1, 0.08, 0.16} }, sphere { radius = 0.08, at = {0, 0.03, 0.2} },
  cone { radius = 0.03, top = 0.012, height = 0.12, at = {0.045, 0.12, 0.21}, rotate = {0, 0, -15} },
  cone { radius = 0.03, top = 0.012, height = 0.12, at = {-0.045, 0.12, 0.21}, rotate = {0, 0, 15} },
  ellipsoid { radii = {0.42, 0.035, 0.16}, at = {0.42, 0.02, 0} },
  ellipsoid { radii = {0.42, 0.035, 0.16}, at = {-0.42, 0.02, 0} } }

local bat = modal_body {
  name = "bat", surface = shape, edge = 0.03, volume = lattice { cell = 0.075 },
  material = { young = 6e4, poisson = 0.35, density = 400, damping = { mass = 0.3, stiffness = 1.5e-3 } },
  modes = 20, collide = false, color = {0.32, 0.27, 0.33},
}
-- A hand holds three points of the trunk: the more points, the fewer ways are left to the modes to move in.
for _, p in ipairs { {0, 0, -0.1}, {0.05, 0, 0.05}, {-0.05, 0, 0.05} } do
  drag { body = bat, at = p, to = function(t) return {p[1], p[2] + 0.12 * math.sin(2 * math.pi * 1.1 * t), p[3] + 0.15 * t} end }
end

state.lag = state.lag or 0
on_step(function()
  state.lag = math.max(state.lag, math.abs(bat:point(0.8, 0.02, 0).y - bat:point(0, 0, 0).y))
end)
measure("wing", function() return bat:point(0.8, 0.02, 0).y end)
measure("body", function() return bat:point(0, 0, 0).y end)
expect("the wings flap", function() return state.lag > 0.015, string.format("%.3f m", state.lag) end)
expect("the body follows the hand", function()
  local p, t = bat:point(0, 0, 0), 3
  local y = 0.12 * math.sin(2 * math.pi * 1.1 * t)
  return math.abs(p.y - y) < 0.02 and math.abs(p.z - 0.45) < 0.02, string.format("%.3f and %.3f m", p.y, p.z) end)
