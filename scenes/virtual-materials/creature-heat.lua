-- A hot rod dents a creature where it touches, and nowhere else (Müller & Gross 2004, figure 9 left, table 1).
-- About 834 tets carry 10,000 triangles; cold: E 1e5 Pa, yield 0.1, creep 1 1/s, max 1. Hot: E 1e4 Pa, yield 0.002,
-- creep 50 1/s. Heat runs about 15 times too fast: specific heat 100 J/(kg·K). The creature is made of built-in shapes; --set model=armadillo.off takes another one.
-- Look for: the back that gives way under the rod and keeps the dent, the rest that stays as it was; colour by
-- temperature with `pliant render … --field temperature`.
-- --set dt=0.1 and --set stiffer=1000 try how stable it is.
--
--   pliant run scenes/virtual-materials/creature-heat.lua

world { dt = args.dt or 0.01, duration = args.duration or 5, fps = args.dt and math.min(50, 1 / args.dt) or 50 }

-- Everything below is written for a creature of about 0.9 m and scaled to this part of it.
local size = 0.35
local stiffer = args.stiffer or 1

local creature = include "parts/creature.lua"

local beast = fem_body {
  name = "creature",
  surface = args.model and load { file = args.model, fit = 0.9 * size } or creature():scaled(size),
  edge = not args.model and 0.024 * size or nil,
  volume = lattice { tets = args.tets or 834 },
  at = {0, (args.model and 0.46 or 0.01) * size, 0},
  material = {
    young = 1e5 * stiffer, poisson = 0.33, density = 1000, friction = 1, damping = { stiffness = 0.01 },
    plasticity = creep { yield = 0.1, rate = 1, max = 1 },
    heat = {
      conductivity = 0.6, specific_heat = 100, cooling = 8,
      table = { {25, young = 1e5 * stiffer, yield = 0.1, rate = 1}, {70, young = 1e4 * stiffer, yield = 0.002, rate = 50} },
    },
  },
  color = {0.25, 0.5, 0.35},
}
ground { height = 0, friction = 1 }

-- The rod comes down on the back, stays, and goes up again.
local function rod(t)
  local depth = 0.13 * math.max(0, math.min(1, t - 0.6)) * (t < 3 and 1 or math.max(0, 1 - 3 * (t - 3)) - (t > 3.33 and 2 * (t - 3.33) or 0))
  return {0.06 * size, (0.65 - depth) * size, 0}
end
obstacle {
  name = "rod", color = {0.75, 0.15, 0.08}, friction = 0.2,
  shape = capsule { a = {0, 0, -0.5 * size}, b = {0, 0, 0.5 * size}, radius = 0.045 * size },
  motion = function(t) return { at = rod(t) } end,
}
for _, z in ipairs {-0.12, 0, 0.12} do
  heat_source { at = function(t) local p = rod(t); return {p[1], p[2] - 0.03 * size, z * size} end, radius = 0.12 * size, temperature = 95, power = 3000, till = 3 }
end

local head = {0.47 * size, 0.73 * size, 0}
measure("hottest", function() return beast:max_temperature() end)
measure("back", function() return beast:point(0.06 * size, 0.58 * size, 0)[2] end)
measure("head", function() return beast:point(head[1], head[2], head[3])[2] end)
measure("plastic_strain", function() return beast:plastic_strain() end)
expect("the rod heated it", function() return beast:max_temperature() > 40, string.format("%.0f °C", beast:max_temperature()) end)
expect("it is dented for good", function() return beast:plastic_strain() > 0.005, string.format("mean plastic strain %.4f", beast:plastic_strain()) end)
expect("the head stays up", function() return beast:point(head[1], head[2], head[3])[2] > 0.6 * size end)
-- Slower than gravity makes it in half a step.
local slow = 0.5 * 9.81 * (args.dt or 0.01)
expect("it came to rest", function() return beast:max_speed() < slow, string.format("%.3f m/s", beast:max_speed()) end)
