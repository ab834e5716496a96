-- Two plump birds run into each other and tumble to the ground (Hauser, Shen & O'Brien 2003, figure 5; table 1: 336
-- vertices over 113 nodes and 295 tets, 40 modes). Beak and legs are a hundred times stiffer than the body.
-- Look for: bellies that squash on impact, beaks that keep their shape, birds that come to rest on the floor.
--
--   pliant run scenes/modal/dodos.lua

world { dt = 1 / 120, duration = 2.5, fps = 30 }

local beak  = capsule { a = {0.34, 0.6, 0}, b = {0.5, 0.52, 0}, radius = 0.055 }
local legs  = union { capsule { a = {0, 0.1, 0.1}, b = {0.02, -0.16, 0.11}, radius = 0.045 },
                      capsule { a = {0, 0.1, -0.1}, b = {0.02, -0.16, -0.11}, radius = 0.045 } }
local belly = smooth_union { blend = 0.08,
  ellipsoid { radii = {0.27, 0.24, 0.22}, at = {0, 0.2, 0} },
  capsule { a = {0.14, 0.35, 0}, b = {0.24, 0.58, 0}, radius = 0.09 },
  sphere { radius = 0.12, at = {0.26, 0.62, 0} },
  capsule { a = {-0.22, 0.3, 0}, b = {-0.36, 0.42, 0}, radius = 0.06 } }
local bird  = smooth_union { blend = 0.03, belly, beak, legs }

local function dodo(name, x, turn, v, color)
  return modal_body {
    name = name, surface = bird, edge = 0.035, volume = lattice { tets = 700 },
    at = {x, 0.35, 0}, rotate = {0, turn, 0}, velocity = {v, 0.6, 0},
    material = { young = 4e4, poisson = 0.4, density = 400, damping = { mass = 0, stiffness = 3e-3 }, friction = 0.5,
                 regions = { { inside = beak, young = 4e6 }, { inside = legs, young = 4e6 } } },
    modes = args.modes or 40, color = color,
  }
end
local left  = dodo("dodo", -0.75, 0, 2.2, {0.55, 0.6, 0.72})
local right = dodo("dido", 0.75, 180, -2.2, {0.78, 0.62, 0.45})
ground { height = 0, friction = 0.5 }

state.most = state.most or 0
on_step(function() state.most = math.max(state.most, left:elastic_energy() + right:elastic_energy()) end)
measure("energy", function() return left:elastic_energy() + right:elastic_energy() end)
measure("left_x", function() return left:center().x end)
measure("speed", function() return math.max(left:max_speed(), right:max_speed()) end)
expect("they hit hard enough to squash", function() return state.most > 0.2, string.format("%.2f J", state.most) end)
expect("they did not pass through each other", function()
  return left:center().x < right:center().x, string.format("%.2f and %.2f m", left:center().x, right:center().x) end)
expect("they stay above the floor", function()
  return math.min(left:center().y, right:center().y) > 0.1, string.format("%.2f m", left:center().y) end)
