-- A semicircular arch of stones without mortar.
-- Heyman's problem: the thinnest arch that carries itself is 0.1074 as thick as its centre line's radius, if its stones do
-- not slide on each other, which needs a friction of 0.396; below 0.309 none stands (Cocchetti & Rizzi 2020).
-- Look for: an arch that stands still; thinner ones open at the crown, the haunches and the springings, and fall. Stones
-- start apart by a hair; what they fall through it with is damped in the first second, and nothing is damped after.
--
--   pliant run scenes/contact/arch.lua --set thickness=0.1095   # 2 % above Heyman's: stands
--   pliant run scenes/contact/arch.lua --set thickness=0.1052   # 2 % below: falls
--   pliant run scenes/contact/arch.lua --set thickness=0.16 --set mu=0.28

local thickness = tonumber(args.thickness or 0.12)
local mu = tonumber(args.mu or 0.6)
local count = tonumber(args.count or 25)
local radius, depth = 1.0, 0.2

world { dt = tonumber(args.dt or 0.005), duration = tonumber(args.duration or 4), fps = 25, contact = "barrier" }
camera { eye = {0.6, 0.9, 3.4}, target = {0, 0.45, 0} }
ground { height = 0, friction = mu }

-- Stones stand apart by a hair: what touches at the start has no sides.
local hair = 5e-5 * radius
local angle = 180 / count
local stones = {}
for i = 1, count do
  local at = math.rad(angle * (i - 0.5))
  stones[i] = fem_body {
    name = "stone " .. i,
    volume = structured(string.format("wedge:radius=%.17g,thickness=%.17g,angle=%.17g,depth=%.17g", radius,
                                      thickness * radius, angle, depth)),
    rotate = { axis = {0, 0, 1}, angle = math.deg(at) },
    at = {hair / math.rad(angle) * math.cos(at), hair / math.rad(angle) * math.sin(at) + hair, 0},
    material = { young = tonumber(args.young or 1e9), poisson = 0.2, density = 2000, friction = mu,
                 damping = { mass = 50 } },
    color = i % 2 == 0 and "tan" or "wheat",
  }
  change { body = stones[i], at = 1, mass_damping = 0 }
end

-- The crown of an arch that stands hardly sinks.
local crown = stones[(count + 1) // 2]
local start
on_step(function() start = start or crown:center()[2] end)
local function stands() return crown:center()[2] > (start or 0) - 0.1 * thickness * radius and 1 or 0 end
measure("stands", stands)
measure("crown", function() return crown:center()[2] end)
expect("it stands if it is thick and rough enough, and falls if it is not", function()
  local should = mu > 0.309215 and thickness > 0.107426
  if mu > 0.309215 and mu < 0.395832 then return true, "between the two frictions it depends on its thickness" end
  return (stands() == 1) == should, string.format("thickness %.4f, friction %.3f, stands %d", thickness, mu, stands())
end)
