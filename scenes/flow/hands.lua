-- Two gooey hands meet in flight and stick together without merging (Wojtan & Turk 2008, figure 9): two bodies, each
-- with its own surface and colour, held by friction.
-- Look for: palms that flatten against each other, and two colours that never mix.
--
--   pliant run scenes/flow/hands.lua

world { dt = args.dt or 0.005, duration = args.duration or 0.6, fps = 50, gravity = {0, -2, 0} }
camera { eye = {0.3, 0.22, 1.15}, target = {0, -0.04, 0}, fov = 32 }

local function hand()
  local parts = { box { size = {0.03, 0.09, 0.08}, rounding = 0.012 } }
  for i = 0, 3 do
    local z = -0.03 + 0.02 * i
    table.insert(parts, capsule { a = {0, 0.035, z}, b = {0, 0.1 - 0.006 * math.abs(i - 1.5), 1.25 * z}, radius = 0.0095 })
  end
  table.insert(parts, capsule { a = {0, -0.01, 0.035}, b = {0, 0.03, 0.075}, radius = 0.011 })
  return smooth_union { blend = 0.006, table.unpack(parts) }
end

local cell = args.cell or 0.013
local function goo(name, side, color)
  return fem_body {
    name = name, surface = hand(), edge = 0.0045, volume = lattice { cell = cell },
    at = {side * 0.07, 0.1, 0}, rotate = { axis = {0, 0, 1}, angle = side * 10 }, velocity = {-side * 0.8, 0, 0},
    material = { young = 4000, poisson = 0.45, density = 1100, friction = 2, plasticity = flow { yield = 5, rate = 200 } },
    remesh = { cell = cell, edge = 0.0045 }, color = color,
  }
end
local left, right = goo("left", -1, {0.85, 0.25, 0.15}), goo("right", 1, {0.2, 0.4, 0.85})

measure("volume_change", function() return math.max(left:volume_change(), right:volume_change()) end)
expect("the volume stays", function()
  local most = math.max(left:volume_change(), right:volume_change())
  return most <= 0.005, string.format("changed by %.2g", most)
end)
expect("they stick together", function()
  local apart = (left:velocity() - right:velocity())[1]
  return math.abs(apart) < 0.15, string.format("they part at %.3f m/s", apart)
end)
