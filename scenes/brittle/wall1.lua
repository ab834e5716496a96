-- An adobe wall is struck by a wrecking ball (O'Brien & Hodgins 1999, figures 9a and 10, table 1): cracks go through the
-- elements, where the stress sends them. The wall stands in the ground and begins with 338 nodes, as the paper's did.
-- λ 6.03e8 Pa, μ 1.21e8 Pa, φ 3015 Pa·s, ψ 6030 Pa·s, ρ 2309 kg/m³. The table's toughness of 6030 stands for a force at
-- a node; here it is a stress, that force over the 0.05 m² or so which a node of this mesh stands for (docs/brittle.md).
-- The ball swings in at 4 m/s and is stopped by the wall within 0.25 m.
-- Look for: a net of cracks that starts where the ball strikes; pieces fall from the middle, the sides stand.
--
--   pliant run scenes/brittle/wall1.lua --report wall1.json
--   pliant run scenes/brittle/wall1.lua --set toughness=3e5 speed=2
--   pliant run scenes/brittle/wall1.lua --set steps=explicit

world { dt = args.dt or 5e-4, duration = args.duration or 0.25, fps = 100, seed = 1 }

local lambda, mu = 6.03e8, 1.21e8
local nu = lambda / (2 * (lambda + mu))

local wall = fem_body {
  name = "wall",
  surface = box { size = {4, 3, 0.3}, at = {0, 1.5, 0} },
  volume = grid { cells = {12, 12, 1}, jitter = 0.3 },
  material = {
    young = 2 * mu * (1 + nu), poisson = nu, density = 2309, friction = 0.6,
    elasticity = "green", law = { phi = 3015, psi = 6030 },
    fracture = { through_elements = true, toughness = args.toughness or 1.2e5, splits = args.splits or 1000, touch = args.touch == true },
  },
  integrator = include "parts/steps.lua",
  color = {0.62, 0.43, 0.28},
}
fix { body = wall, inside = box { size = {5, 0.1, 1}, at = {0, 0, 0} } }
ground { height = 0, friction = 0.6 }

-- At constant deceleration from the first touch on.
local speed, way, radius = args.speed or 4, args.way or 0.25, 0.5
local touch = 0.02
local function path(t)
  local z0 = 0.15 + radius
  if t < touch then return z0 + speed * (touch - t) end
  local stop = 2 * way / speed
  local s = math.min(t - touch, stop)
  return z0 - speed * s * (1 - s / (2 * stop))
end
obstacle { name = "ball", shape = sphere { radius = radius }, friction = 0.4, color = {0.2, 0.2, 0.22},
           motion = function(t) return { at = {0.3, 1.7, path(t)} } end }

camera { eye = {4.5, 3.2, 7.5}, target = {0, 1.4, 0}, fov = 34 }

measure("pieces", function() return wall:pieces() end)
measure("tets", function() return wall:tet_count() end)
expect("it breaks", function() return wall:pieces() >= 10, wall:pieces() .. " pieces" end)
expect("the far side still stands", function()
  local corner = wall:point(-2, 3, 0.15)
  local moved = math.sqrt((corner[1] + 2) ^ 2 + (corner[2] - 3) ^ 2 + (corner[3] - 0.15) ^ 2)
  return moved < 0.2, string.format("its corner moved by %.3f m", moved)
end)
