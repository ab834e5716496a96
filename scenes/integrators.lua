-- The same bar with each integrator, side by side: held at one end and struck across at the start, it swings about once
-- a second, at 200 steps a swing. Implicit Euler damps it, second-order backward differences hardly do, and explicit
-- steps keep it swinging. What is left of the first swing after four of them is printed and judged.
--
--   pliant run scenes/integrators.lua --report r.json
--   pliant render out --sheet 3x2

world { dt = 0.005, duration = 5, fps = 40, gravity = {0, 0, 0} }

local list = {
  implicit_euler = implicit_euler { iterations = 200, tolerance = 1e-6 },
  bdf2 = bdf2 { iterations = 200, tolerance = 1e-6 },
  newmark = newmark { },
  symplectic_euler = symplectic_euler { },
  taylor2 = taylor2 { },
}
local names = { "implicit_euler", "bdf2", "newmark", "symplectic_euler", "taylor2" }
local colors = { {0.8, 0.3, 0.25}, {0.25, 0.5, 0.85}, {0.3, 0.65, 0.35}, {0.85, 0.65, 0.2}, {0.55, 0.4, 0.75} }

state.first, state.last = {}, {}
for i, name in ipairs(names) do
  local z = 0.15 * (i - 3)
  local bar = fem_body {
    name = name,
    surface = box { size = {0.5, 0.05, 0.05} },
    edge = 0.025,
    volume = grid { cells = {10, 1, 1} },
    at = {0.25, 0.3, z},
    velocity = {0, 0.3, 0},
    material = { young = 4e5, poisson = 0.3, density = 1000 },
    integrator = list[name],
    color = colors[i],
  }
  fix { body = bar, inside = box { size = {1e-3, 1, 0.1}, at = {0, 0.3, z} } }
  state.first[i], state.last[i] = 0, 0
  on_frame(function(t)
    local swing = math.abs(bar:point(0.5, 0.3, z)[2] - 0.3)
    if t < 1 then state.first[i] = math.max(state.first[i], swing) end
    if t > 4 then state.last[i] = math.max(state.last[i], swing) end
  end)
  measure(name, function() return state.first[i] > 0 and state.last[i] / state.first[i] or 0 end)
end

-- Implicit Euler leaves (1 + (ω dt)²)^(-n/2) of a swing: 0.67 after n = 800 steps with ω dt = 2π/200.
expect { measure = "implicit_euler", at_least = 0.6, at_most = 0.75 }
expect { measure = "bdf2", at_least = 0.9, at_most = 1 } -- its quick overtones go, its swing stays
expect { measure = "newmark", near = 1, within = 0.02 }
expect { measure = "symplectic_euler", near = 1, within = 0.02 }
expect { measure = "taylor2", near = 1, within = 0.02 }
