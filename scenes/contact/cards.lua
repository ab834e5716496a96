-- Two cards lean against each other: they stand if friction with the table is enough, and slide apart if it is not.
-- Thin cards at 30 degrees from the vertical push their feet outwards with half their weight times tan 30°, so mu must be
-- 0.289; these are a hundredth as thick as long and lean on their edges, which makes it (tan 30° - 1/100)/2 = 0.284.
-- Look for: with mu = 0.30 a tent that stands, with 0.275 one that slides flat.
--
--   pliant run scenes/contact/cards.lua --set mu=0.30
--   pliant run scenes/contact/cards.lua --set mu=0.275

local mu = tonumber(args.mu or 0.30)
local angle = math.rad(tonumber(args.angle or 30))
local length, thickness, width = 0.1, 0.001, 0.06

world { dt = 0.005, duration = tonumber(args.duration or 3), fps = 50, contact = "barrier" }
camera { eye = {0.12, 0.12, 0.34}, target = {0, 0.04, 0} }
ground { height = 0, friction = mu }

-- Each card turns about its lower edge; its upper inner edge meets the other card's in the middle.
local d = 0.02 * thickness
local function card(name, side)
  local centre_x = (length / 2) * math.sin(angle) + (thickness / 2) * math.cos(angle) + 2 * d
  local centre_y = (length / 2) * math.cos(angle) + (thickness / 2) * math.sin(angle) + 2 * d
  return fem_body {
    name = name,
    surface = box { size = {thickness, length, width} },
    volume = grid { cells = {1, 12, 8} },
    edge = 0.008,
    rotate = { axis = {0, 0, 1}, angle = side * math.deg(angle) },
    at = {side * centre_x, centre_y, 0},
    material = { young = 1e9, poisson = 0.3, density = 800, friction = mu },
    color = side < 0 and "ivory" or "tomato",
  }
end
local left, right = card("left card", -1), card("right card", 1)
local top = length * math.cos(angle)

local function stands() return math.min(left:bounds().max[2], right:bounds().max[2]) > 0.9 * top and 1 or 0 end
measure("stands", stands)
local needed = (math.tan(angle) - thickness / length) / 2
expect("they stand if friction is enough, and fall if it is not", function()
  local should = mu >= needed and 1 or 0
  return stands() == should, string.format("mu %.3f, needed %.3f, stands %d", mu, needed, stands())
end)
