-- A cantilever against the formula: a bar of length 1 m and height 0.1 m, held at one end, pulled down at the other
-- by a small force. Timoshenko's beam says δ = PL³/3EI + PL/κGA. Linear tets are too stiff in bending on coarse meshes;
-- three meshes (2, 4 and 8 cells across) show how the error falls.
--
--   pliant run scenes/cantilever.lua --report r.json

-- Steps much longer than a swing: implicit Euler damps the motion away, and ten of them reach the static shape.
world { dt = 0.5, duration = 5, fps = 2, gravity = {0, 0, 0} }

local L, h, E, nu, P = 1, 0.1, 1e7, 0.3, 0.1
local I, A, G, kappa = h ^ 4 / 12, h * h, E / (2 * (1 + nu)), 10 * (1 + nu) / (12 + 11 * nu)
local exact = P * L ^ 3 / (3 * E * I) + P * L / (kappa * G * A)

local function beam(cells, z)
  local body = fem_body {
    name = "beam " .. cells,
    surface = box { size = {L, h, h} },
    edge = 0.025,
    volume = grid { cells = {10 * cells, cells, cells} },
    at = {L / 2, 1, z},
    material = { young = E, poisson = nu, density = 1000 },
    integrator = implicit_euler { iterations = 4000, tolerance = 1e-10 },
    color = {0.3, 0.55, 0.85},
  }
  fix  { body = body, inside = box { size = {1e-3, 1, 1}, at = {0, 1, z} } }
  pull { body = body, inside = box { size = {1e-3, 1, 1}, at = {L, 1, z} }, force = {0, -P, 0} }
  return function() return 1 - body:point(L, 1, z)[2] end  -- how far the middle of the free end has sunk, m
end

local sags = { beam(2, -0.3), beam(4, 0), beam(8, 0.3) }
local function sag(i) return sags[i]() end

for i, cells in ipairs {2, 4, 8} do
  measure("error_" .. cells, function() return sag(i) / exact - 1 end)
end
measure("order", function() return math.log((exact - sag(2)) / (exact - sag(3)), 2) end)  -- from 4 to 8 cells

expect { measure = "error_8", at = "end", at_least = -0.08, at_most = 0 }
expect { measure = "order", at = "end", at_least = 1.5, at_most = 2.2 }
