-- Locking, and the smoothed element against it. Two beams of 1 m × 0.1 m × 0.1 m with four cells through their height,
-- held at one end, carry the same load at the other: PL³/3EI + PL/κGA says how far they sink (Timoshenko). Plain linear
-- tets (red) bend a fifth too little; the smoothed element (blue) is within 2 % on the same mesh.
--
--   pliant run scenes/locking.lua --report r.json

-- Steps much longer than a swing: implicit Euler damps the motion away, and sixteen of them reach the static shape.
world { dt = 0.5, duration = 8, fps = 2, gravity = {0, 0, 0} }

local L, h, E, nu, P = 1, 0.1, 1e7, 0.3, 5
local I, A, G, kappa = h ^ 4 / 12, h * h, E / (2 * (1 + nu)), 10 * (1 + nu) / (12 + 11 * nu)
local exact = P * L ^ 3 / (3 * E * I) + P * L / (kappa * G * A)

local function beam(element, z, color)
  local body = fem_body {
    name = element,
    surface = box { size = {L, h, h} },
    edge = 0.025,
    volume = grid { cells = {40, 4, 4} },
    at = {L / 2, 0.5, z},
    material = { young = E, poisson = nu, density = 1000 },
    element = element,
    integrator = implicit_euler { iterations = 4000, tolerance = 1e-6 },
    color = color,
  }
  fix  { body = body, inside = box { size = {1e-3, 1, 1}, at = {0, 0.5, z} } }
  pull { body = body, inside = box { size = {1e-3, 1, 1}, at = {L, 0.5, z} }, per_area = {0, -P / A, 0} }
  return function() return 0.5 - body:point(L, 0.5, z)[2] end  -- how far the middle of the free end has sunk, m
end

local plain, smoothed = beam("tet4", -0.15, {0.85, 0.35, 0.3}), beam("smoothed", 0.15, {0.3, 0.55, 0.85})
measure("tet4_error", function() return plain() / exact - 1 end)
measure("smoothed_error", function() return smoothed() / exact - 1 end)

camera { eye = {0.6, 0.7, 1.9}, target = {0.5, 0.45, 0} }

expect { measure = "smoothed_error", at = "end", at_least = -0.02, at_most = 0.02 }
expect { measure = "tet4_error", at = "end", at_most = -0.1 }
