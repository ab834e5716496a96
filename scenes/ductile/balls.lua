-- Four hollow balls fall onto hard ground (O'Brien, Bargteil & Hodgins 2002, figure 1). They differ in how soon and how
-- far they yield; the paper names no numbers, these are ours.
-- Look for: the first flattens and stays whole, the others split open and spring back; small parts come off where they strike.
--
--   pliant run scenes/ductile/balls.lua --report balls.json
--   pliant run scenes/ductile/balls.lua --set steps=explicit

world { dt = args.dt or 5e-4, duration = args.duration or 0.12, fps = 100, seed = 1 }

local ball_of = include "parts/material.lua"
local balls = {}
for i, m in ipairs { {0.002, 0.6}, {0.01, 0.06}, {0.01, 0.02}, {0, 0} } do
  balls[i] = fem_body {
    name = "ball" .. i,
    surface = shell { sphere { radius = 0.2 }, wall = 0.06 }, edge = 0.035,
    volume = conforming { cell = args.cell or 0.045 },
    at = {0.55 * (i - 2.5), 0.21, 0}, velocity = {0, -7, 0},
    material = ball_of { young = 2e7, gamma1 = m[1], gamma2 = m[2], toughness = 6e5 },
    integrator = include "parts/steps.lua",
    color = {0.75, 0.35 + 0.1 * i, 0.3},
  }
end
ground { height = 0, friction = 0.5 }
camera { eye = {0.4, 0.7, 2.2}, target = {0, 0.15, 0}, fov = 40 }

for i, ball in ipairs(balls) do measure("pieces" .. i, function() return ball:pieces() end) end
expect("the softest yields most and stays in one piece", function()
  return balls[1]:pieces() <= 3 and balls[1]:plastic_strain() > 0.005,
    string.format("%d pieces, plastic strain %.4f", balls[1]:pieces(), balls[1]:plastic_strain())
end)
expect("the brittle one breaks into more pieces than the softest", function()
  return balls[4]:pieces() > balls[1]:pieces(), balls[4]:pieces() .. " against " .. balls[1]:pieces()
end)
