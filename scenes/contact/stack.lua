-- Boxes stand on each other.
-- Look for: twenty stiff boxes that do not drift once they have settled in the first second.
--
--   pliant run scenes/contact/stack.lua
--   pliant run scenes/contact/stack.lua --set ratio=0.001   # the second, fourth … box is so much lighter
--   pliant run scenes/contact/stack.lua --set ratio=1000    # the first, third … is

local count = tonumber(args.count or 20)
local ratio = tonumber(args.ratio or 1)
local young = tonumber(args.young or 1e10)
local side, gap = 0.1, 0.0022
-- None is denser than water: boxes of 10¹⁰ Pa a thousand times as dense would be a column that nearly buckles, at 2.35 m.

world { dt = 0.01, duration = tonumber(args.duration or 4), fps = 25, contact = "barrier" }
camera { eye = {2.2, 1.5, 4.9}, target = {0, 1.0, 0} }
ground { height = 0, friction = 0.5 }

local boxes = {}
for i = 1, count do
  boxes[i] = fem_body {
    name = "box " .. i,
    surface = box { size = {side, side, side} },
    volume = grid { cells = {1, 1, 1} },
    edge = side,
    at = {0, (i - 0.5) * side + i * gap, 0},
    material = { young = young, poisson = 0.3, density = 1000 * math.min(1, i % 2 == 0 and ratio or 1 / ratio), friction = 0.5 },
    color = i % 2 == 0 and "orange" or "steelblue",
  }
end

-- Where each box was after a second.
local settled
on_step(function(t)
  if not settled and t >= 1 then
    settled = {}
    for i, b in ipairs(boxes) do settled[i] = b:center() end
  end
end)
measure("drift", function()
  if not settled then return 0 end
  local most = 0
  for i, b in ipairs(boxes) do most = math.max(most, (b:center() - settled[i]):length()) end
  return most / side
end)
expect("no box drifts by more than a ten-thousandth of its side after the first second", function()
  if not settled then return false, "the run ended before" end
  local most = 0
  for i, b in ipairs(boxes) do most = math.max(most, (b:center() - settled[i]):length()) end
  return most < 1e-4 * side, string.format("%.1e of a side", most / side)
end)
