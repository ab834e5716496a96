-- Locking, and the smoothed element against it. Two beams of 2 m × 0.1 m with four cells through their height carry the
-- same weight at their tips; it bends them to half their length (PL²/EI = 2), which Bisshopp & Drucker (1945) solved:
-- the tip sinks by 0.4935 of the length. Plain linear tets (red) bend about a seventh too little, the smoothed element
-- (blue) on the same mesh is within 2 %.
--
--   pliant run scenes/locking.lua --report r.json

-- Damped so that the beams come to rest. The load grows over two seconds.
world { dt = 0.025, duration = 6, fps = 10, gravity = {0, 0, 0} }

local L, h, E = 2, 0.1, 1e7
local P = 2 * E * h ^ 4 / 12 / L ^ 2
local exact = 0.4935 * L

local function beam(element, z, color)
  local body = fem_body {
    name = element,
    surface = box { size = {L, h, h} },
    edge = 0.025,
    volume = grid { cells = {80, 4, 4} },
    at = {L / 2, 1.2, z},
    material = { young = E, poisson = 0.3, density = 1000, damping = { mass = 4 } },
    element = element,
    integrator = implicit_euler { iterations = 400, tolerance = 1e-4 },
    collide = false,
    color = color,
  }
  fix { body = body, inside = box { size = {1e-3, 1, 1}, at = {0, 1.2, z} } }
  pull {
    body = body,
    inside = box { size = {1e-3, 1, 1}, at = {L, 1.2, z} },
    force = function(t) return {0, -P * math.min(t / 2, 1), 0} end,
  }
  return function() return 1.2 - body:point(L, 1.2, z)[2] end  -- how far the tip has sunk, m
end

local plain = beam("tet4", -0.15, {0.85, 0.35, 0.3})
local smoothed = beam("smoothed", 0.15, {0.3, 0.55, 0.85})
measure("tet4_error", function() return plain() / exact - 1 end)
measure("smoothed_error", function() return smoothed() / exact - 1 end)

camera { eye = {0.9, 1.3, 3.6}, target = {0.9, 0.8, 0} }

expect { measure = "smoothed_error", at = "end", at_least = -0.02, at_most = 0.02 }
expect { measure = "tet4_error", at = "end", at_least = -0.18, at_most = -0.1 }
