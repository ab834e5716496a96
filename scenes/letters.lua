-- Thirty jelly letters fall into a bowl and come to rest on each other.
-- Bodies touch through their seen surfaces, with friction, and are solved together.
-- Look for: a heap without letters inside letters, no jitter once it has settled.
--
--   pliant run scenes/letters.lua --set count=12       (a smaller heap)

world { dt = 0.01, duration = 5, fps = 50, seed = 7 }
camera { eye = {0.9, 1.9, 1.6}, target = {0, 0.35, 0} }

local words = "PLIANTBENDSCREEPSMELTSANDRINGS"
local palette = { {0.9, 0.15, 0.15}, {0.95, 0.55, 0.1}, {0.95, 0.85, 0.2}, {0.25, 0.7, 0.3}, {0.15, 0.5, 0.9}, {0.55, 0.3, 0.8} }
local count = math.min(args.count or 30, #words)

obstacle { name = "bowl", shape = bowl { radius = 0.6, wall = 0.04, at = {0, 0.64, 0} }, friction = 0.3, color = {0.75, 0.78, 0.8} }
ground { height = 0, friction = 0.5 }

local letters = {}
for i = 1, count do
  local layer, place = (i - 1) // 4, (i - 1) % 4
  local angle = 2 * math.pi * (place / 4 + 0.1 * layer)
  letters[i] = fem_body {
    name = words:sub(i, i) .. i,
    surface = text { text = words:sub(i, i), height = 0.28, depth = 0.09, at = {-0.1, -0.14, 0} },  -- about its middle
    edge = 0.022,
    volume = lattice { cell = 0.06 },
    at = {0.27 * math.cos(angle), 0.75 + 0.38 * layer, 0.27 * math.sin(angle)},
    rotate = {axis = {math.random() - 0.5, math.random() - 0.5, math.random() - 0.5}, angle = 360 * math.random()},
    material = { preset = "jelly", young = 5e4, friction = 0.3 },
    color = palette[(i - 1) % #palette + 1],
  }
end

measure("highest_speed", function()
  local most = 0
  for _, letter in ipairs(letters) do most = math.max(most, letter:max_speed()) end
  return most
end)
expect("every letter is in the bowl", function()
  for _, letter in ipairs(letters) do
    local c = letter:center()
    if c[1] * c[1] + c[3] * c[3] > 0.6 ^ 2 or c[2] < 0.02 then return false, letter:name() .. " is outside" end
  end
  return true
end)
