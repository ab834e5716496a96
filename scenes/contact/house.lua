-- A house of cards of three storeys.
-- Cards lean at 20° from the vertical. Under the storeys above them feet push outwards with up to tan 20° = 0.36 of what they
-- carry, and so do the flat cards on the tips, which keep the outer tents from falling inwards.
-- Look for: a house that stands with mu = 0.5, and one that slides flat with 0.2.
--
--   pliant run scenes/contact/house.lua
--   pliant run scenes/contact/house.lua --set mu=0.2

local mu = tonumber(args.mu or 0.5)
local storeys = tonumber(args.storeys or 3)
local lean = tonumber(args.angle or 20)
local angle = math.rad(lean)
local length, thickness, width = 0.1, 0.002, 0.06

world { dt = tonumber(args.dt or 0.005), duration = tonumber(args.duration or 3), fps = 25, contact = "barrier" }
camera { eye = {0.25, 0.28, 0.75}, target = {0, 0.13, 0} }
ground { height = 0, friction = mu }

local hair = 2e-5
local function card(name, long, at, turn, color)
  local body = fem_body {
    name = name,
    surface = box { size = {thickness, long, width} },
    volume = grid { cells = {1, 6, 4} },
    edge = 0.016,
    rotate = { axis = {0, 0, 1}, angle = turn },
    at = at,
    material = { young = 1e9, poisson = 0.3, density = 800, friction = mu, damping = { mass = 50 } },
    color = color,
  }
  change { body = body, at = 0.5, mass_damping = 0 }  -- they start apart by a hair, and settle
  return body
end

local half = (length / 2) * math.sin(angle) + (thickness / 2) * math.cos(angle)    -- of a leaning card, along x
local rise = (length / 2) * math.cos(angle) + (thickness / 2) * math.sin(angle)    -- and upwards
local apart = 2 * (2 * half + hair) + 0.006                                        -- of tents
local top
local floor = hair
for storey = 1, storeys do
  local tents = storeys - storey + 1
  for i = 1, tents do
    local x = (i - 0.5 * (tents + 1)) * apart
    for _, side in ipairs {-1, 1} do
      local body = card(string.format("card %d.%d%s", storey, i, side < 0 and "l" or "r"), length,
                        {x + side * (half + hair), floor + rise, 0}, side * lean, side < 0 and "ivory" or "tomato")
      top = body
    end
  end
  floor = floor + 2 * rise + hair
  for i = 1, tents - 1 do
    local x = (i - 0.5 * tents) * apart
    card(string.format("roof %d.%d", storey, i), apart - 2 * hair, {x, floor + thickness / 2, 0}, 90, "gold")
  end
  floor = floor + thickness + hair
end

local function stands() return top:height() > 0.9 * (floor - thickness) and 1 or 0 end
measure("stands", stands)
measure("height", function() return top:height() end)
expect("it stands if friction is enough, and falls if it is not", function()
  if mu > 0.25 and mu < 0.45 then return true, "between the two it depends on how it settles" end
  return stands() == (mu > 0.4 and 1 or 0), string.format("mu %.2f, stands %d, %.3f m high", mu, stands(), top:height())
end)
