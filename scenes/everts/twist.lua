-- Twist (Everts 2006, section 9.7.1, figure 9.13). The bottom of a rubber cube is glued to the ground, the top is turned
-- slowly by 45 degrees and let go; the cube wobbles back into its shape.
--
--   pliant run scenes/everts/twist.lua --set model=cmpm2
local model = args.model or "cmpm1"
local angle = args.angle or 45

world { dt = 0.01, duration = 2, fps = 50, gravity = { 0, 0, 0 } }

local cube = include "parts/rubber.lua"(model, {
  name = "cube", surface = box { size = { 1, 1, 1 } }, edge = 0.1,
  volume = grid { cells = { 7, 7, 7 }, jitter = 0.25 }, color = { 0.8, 0.3, 0.3 },
}, { step = 1e-4, damping = args.damping or 0.999 })
fix { body = cube, inside = box { size = { 2, 0.01, 2 } }:at { 0, -0.5, 0 } }
rotate { body = cube, inside = box { size = { 2, 0.01, 2 } }:at { 0, 0.5, 0 }, axis = "y", rate = angle, till = 1,
         release = 1.1 }

measure("turn", function()
  local p = cube:point(0.5, 0.5, 0.5)
  return math.deg(math.atan(p.x, p.z)) - 45
end)
measure("energy", function() return cube:energy() end)
state.most, state.energy = 0, 0
on_frame(function(t)
  local p = cube:point(0.5, 0.5, 0.5)
  local turn = math.deg(math.atan(p.x, p.z)) - 45
  if turn > state.most then state.most = turn end
  state.energy = math.max(state.energy, cube:energy())
end)
measure("most", function() return state.most end)

expect { measure = "most", near = angle, within = 1 }
expect("it swings back and comes to rest", function()
  local left = cube:energy() / state.energy
  return cube:point(0.5, 0.5, 0.5).z > 0.45 and left < 0.01, string.format("%.2g of its energy is left", left)
end)
