-- A snake of soft rubber falls over three pegs and drapes itself (Müller & Gross 2004, figure 8 left, table 1).
-- About 440 tets carry a skin of 22,000 triangles; E 1e5 Pa, ν 0.33, ρ 1000 kg/m³, dt 0.01 s, 20 iterations.
-- Look for: large bending and turning without any growth in volume; smooth skin over coarse elements.
-- --set dt=0.1 and --set stiffer=1000 try how stable it is; --set model=FILE drapes another surface.
--
--   pliant run scenes/virtual-materials/snake.lua --export usd

world { dt = args.dt or 0.01, duration = args.duration or 5, fps = args.dt and math.min(50, 1 / args.dt) or 50 }

-- An S lying in the plane y = 0, thick in the middle, thin at the tail, with a head.
local points, radii = {}, {}
local n = 24
for i = 0, n do
  local s = i / n
  table.insert(points, {3.2 * (s - 0.5), 0, 0.3 * math.sin(3.2 * math.pi * s) * (1 - 0.3 * s)})
  local taper = 0.05 + 0.1 * math.sin(math.pi * math.min(1, 0.12 + 0.9 * (1 - s)))
  local head = 0.045 * math.exp(-((s - 0.05) / 0.04) ^ 2)
  table.insert(radii, taper + head)
end

local snake = fem_body {
  name = "snake",
  surface = args.model and load { file = args.model, fit = 3.2 } or sweep { points = points, radii = radii },
  triangles = not args.model and (args.triangles or 22000) or nil,
  volume = lattice { tets = args.tets or 440 },
  at = {0, 1.75, 0},
  material = { young = 1e5 * (args.stiffer or 1), poisson = 0.33, density = 1000, damping = { mass = 0.3 } },
  integrator = implicit_euler { iterations = 20 },
  color = {0.16, 0.55, 0.22},
}

for i, x in ipairs {-0.85, 0, 0.85} do
  obstacle {
    name = "peg " .. i, friction = 0.6, color = {0.5, 0.36, 0.22},
    shape = capsule { a = {x, i == 2 and 1.4 or 1.1, -0.6}, b = {x, i == 2 and 1.4 or 1.1, 0.6}, radius = 0.06 },
  }
end
ground { height = 0, friction = 0.5 }

measure("volume_change", function() return snake:volume() / snake:rest_volume() - 1 end)
measure("elements", function() return snake:tet_count() end)
if not args.model then
  expect { measure = "volume_change", at = "always", at_least = -0.15, at_most = 0.15 }
  expect { measure = "elements", at = "end", at_least = 400, at_most = 480 }
end
state.most = 0
on_frame(function() state.most = math.max(state.most, snake:kinetic_energy()) end)
expect("it hangs over the pegs and swings no more than a little", function()
  local left = snake:kinetic_energy() / state.most
  return snake:center()[2] > 1 and left < 0.05,
    string.format("its centre is %.2f m up, %.1f %% of its kinetic energy is left", snake:center()[2], 100 * left)
end)
