-- Rings fall into a shallow jar.
-- Look for: a heap of rings that lean on each other, none of them through another or through the jar.
--
--   pliant run scenes/contact/rings.lua --check intersections
--   pliant run scenes/contact/rings.lua --set count=40    # slow: minutes

local count = tonumber(args.count or 12)
world { dt = 0.01, duration = tonumber(args.duration or 3), fps = 25, contact = "barrier", seed = 3 }
camera { eye = {0.5, 1.1, 0.9}, target = {0, 0.1, 0} }
ground { height = 0, friction = 0.3 }

obstacle {
  name = "jar",
  shape = difference {
    cylinder { height = 0.248, radius = 0.3, at = {0, 0.126, 0} },
    cylinder { height = 0.67, radius = 0.27, at = {0, 0.365, 0} },
  },
  friction = 0.3,
}
local rings, layer = {}, 0
for i = 1, count do
  local place = (i - 1) % 4
  if place == 0 then layer = layer + 1 end
  local turn = 90 * place + 45 * (layer % 2)
  rings[i] = fem_body {
    name = "ring " .. i,
    surface = torus { ring = 0.07, tube = 0.018 },
    edge = 0.022,
    volume = lattice { cell = 0.03 },
    at = {0.13 * math.cos(math.rad(turn)), 0.12 + 0.2 * layer, 0.13 * math.sin(math.rad(turn))},
    rotate = {math.random(0, 90), math.random(0, 180), 0},
    material = { young = 3e5, poisson = 0.4, density = 1000, friction = 0.3 },
    color = ({"tomato", "gold", "teal", "orchid"})[place + 1],
  }
end
measure("lowest", function()
  local low = 1
  for _, r in ipairs(rings) do low = math.min(low, r:bounds().min[2]) end
  return low
end)
expect("none fell through the jar", function()
  local low = 1
  for _, r in ipairs(rings) do low = math.min(low, r:bounds().min[2]) end
  return low > 0.03, string.format("the lowest point is at %.4f m, the jar's floor at 0.03 m", low)
end)
