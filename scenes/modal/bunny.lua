-- A bunny-like body bounces on the ground by its own elasticity (Hauser, Shen & O'Brien 2003, figure 8; table 1: 32
-- modes; theirs had 37,114 nodes, --set tets=150000 comes near and takes a while to decompose).
-- Look for: ears that swing after the landing, a second lower bounce, rest.
--
--   pliant run scenes/modal/bunny.lua

world { dt = 1 / 120, duration = 3, fps = 30 }

local hare = smooth_union { blend = 0.06,
  ellipsoid { radii = {0.3, 0.25, 0.22}, at = {0, 0.25, 0} },
  sphere { radius = 0.15, at = {0.26, 0.46, 0} },
  capsule { a = {0.22, 0.56, 0.06}, b = {0.1, 0.84, 0.1}, radius = 0.05 },
  capsule { a = {0.22, 0.56, -0.06}, b = {0.1, 0.84, -0.1}, radius = 0.05 },
  capsule { a = {0.2, 0.06, 0.11}, b = {0.33, 0.05, 0.12}, radius = 0.06 },
  capsule { a = {0.2, 0.06, -0.11}, b = {0.33, 0.05, -0.12}, radius = 0.06 },
  sphere { radius = 0.08, at = {-0.31, 0.2, 0} } }

local bunny = modal_body {
  name = "bunny", surface = args.model and load { file = args.model, fit = 0.8 } or hare,
  edge = not args.model and 0.03 or nil, volume = lattice { tets = args.tets or 2500 },
  at = {0, 0.8, 0}, rotate = {0, 0, -12}, spin = {0, 0, 30},
  material = { young = 6e4, poisson = 0.4, density = 500, damping = { mass = 0.1, stiffness = 1e-3 }, friction = 0.6 },
  modes = 32, color = {0.82, 0.8, 0.77},
}
ground { height = 0, friction = 0.6 }

state.lowest, state.again = state.lowest or 10, state.again or 0
on_step(function()
  local y = bunny:center().y
  if y < state.lowest then state.lowest, state.again = y, y end
  state.again = math.max(state.again, y)
end)
measure("height", function() return bunny:center().y end)
measure("bounce", function() return state.again - state.lowest end)
measure("energy", function() return bunny:elastic_energy() end)
expect("it bounces", function() return state.again - state.lowest > 0.05, string.format("%.3f m", state.again - state.lowest) end)
expect("it stays above the ground", function() return bunny:center().y > 0.1, string.format("%.3f m", bunny:center().y) end)
