-- Pressure in a cavity: a thick hollow ball against Lamé's formula, and two soft rings that are blown up with the same
-- pressure. In the first ring the pressure follows the surface as that turns and grows, in the second it is dead: it
-- keeps the directions and areas of the ring at rest. No weight, so that nothing but pressure and rubber acts.
--
--   pliant run scenes/pressure.lua --report r.json

world { dt = 0.02, duration = 2.5, fps = 10, gravity = {0, 0, 0} }

-- The ball: inner radius a, outer radius b; Lamé 1852: u(b) = 3 p a³ b (1 − ν) / (2 E (b³ − a³)).
local a, b, E, nu, p = 0.15, 0.3, 1e5, 0.45, 1000
local ball = fem_body {
  name = "ball",
  surface = difference { sphere { radius = b }, sphere { radius = a } },
  volume = conforming { cell = 0.06 },
  at = {0, 0.4, 0},
  material = { young = E, poisson = nu, density = 1000, damping = { mass = 10 } },
  element = "smoothed",
  color = {0.85, 0.65, 0.3},
}
pressure { body = ball, on = sphere { radius = (a + b) / 2, at = {0, 0.4, 0} }, pascal = function(t) return p * math.min(t, 1) end }
local function radius_of(body, r)  -- mean over the six ends of the axes
  local sum = 0
  for _, d in ipairs { {r, 0, 0}, {-r, 0, 0}, {0, r, 0}, {0, -r, 0}, {0, 0, r}, {0, 0, -r} } do
    local at = body:point(d[1], 0.4 + d[2], d[3])
    sum = sum + math.sqrt(at[1] ^ 2 + (at[2] - 0.4) ^ 2 + at[3] ^ 2) / 6
  end
  return sum
end
local start
measure("ball_error", function()
  start = start or radius_of(ball, b)
  local exact = 3 * p * a ^ 3 * b * (1 - nu) / (2 * E * (b ^ 3 - a ^ 3))
  return (radius_of(ball, b) - start) / exact - 1
end)

-- The rings.
local R, r, wall, full = 0.3, 0.13, 0.08, 14000
local function ring(name, x, color, following)
  local body = fem_body {
    name = name,
    surface = difference { torus { ring = R, tube = r }, torus { ring = R, tube = r - wall } },
    edge = 0.03,
    volume = conforming { cell = 0.045 },
    at = {x, 0.15, 0},
    material = { young = 5e4, poisson = 0.45, density = 1000, elasticity = "neo_hookean", damping = { mass = 10 } },
    color = color,
  }
  pressure {
    body = body,
    on = torus { ring = R, tube = r - wall / 2, at = {x, 0.15, 0} },
    pascal = function(t) return full * math.min(t / 2, 1) end,
    following = following,
  }
  return function() return body:point(x + R + r, 0.15, 0)[1] - x end  -- how far it reaches
end
local follows = ring("following", -1, {0.35, 0.55, 0.85}, true)
local dead = ring("dead", 1, {0.8, 0.4, 0.4}, false)
measure("following_reach", follows)
measure("dead_reach", dead)
measure("ahead", function() return follows() - dead() end)

camera { eye = {0, 2.6, 3.9}, target = {0, 0.2, 0} }

expect { measure = "ball_error", at = "end", at_least = -0.05, at_most = 0.05 }
expect { measure = "ahead", at = "end", at_least = 0.001 }  -- the pressure that follows acts on more area
