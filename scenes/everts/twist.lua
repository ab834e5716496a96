-- Twist (Everts 2006, section 9.7.1, figure 9.13). The bottom of a rubber cube is glued to the ground, the top is turned
-- slowly by a quarter turn and let go; the cube wobbles back into its shape.
--
--   pliant run scenes/everts/twist.lua --set model=cmpm2
local model = args.model or "cmpm1"

world { dt = 0.01, duration = 2, fps = 50, gravity = { 0, 0, 0 } }

local cube = particle_body {
  name = "cube", model = model, surface = box { size = { 1, 1, 1 } }, edge = 0.1,
  volume = grid { cells = { 7, 7, 7 }, jitter = 0.25 },
  material = { young = 3e6, shear = 1e6, density = 1200 },
  integrator = leap_frog { dt = 1e-4, damping = 0.9999 }, color = { 0.8, 0.3, 0.3 },
}
fix { body = cube, inside = box { size = { 2, 0.01, 2 } }:at { 0, -0.5, 0 } }
rotate { body = cube, inside = box { size = { 2, 0.01, 2 } }:at { 0, 0.5, 0 }, axis = "y", rate = 90, till = 1,
         release = 1.1 }

measure("turn", function()
  local p = cube:point(0.5, 0.5, 0.5)
  return math.deg(math.atan(p.x, p.z)) - 45
end)
measure("energy", function() return cube:energy() end)
state.most = 0
on_frame(function(t)
  local p = cube:point(0.5, 0.5, 0.5)
  local turn = math.deg(math.atan(p.x, p.z)) - 45
  if turn > state.most then state.most = turn end
end)
measure("most", function() return state.most end)

expect { measure = "most", near = 90, within = 1 }
expect("it swings back", function() return cube:point(0.5, 0.5, 0.5).z > 0.2 end)
