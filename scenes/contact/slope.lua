-- A block on a slope: it stays while friction is above the tangent of the angle, and slides by g (sin a − mu cos a) below.
-- Look for: with mu = 0.51 on 26.565 degrees it does not move, with 0.49 it slides at 0.0877 m/s².
--
--   pliant run scenes/contact/slope.lua --set mu=0.49 --set angle=26.565

local angle = math.rad(tonumber(args.angle or 26.565))
local mu = tonumber(args.mu or 0.49)

world { dt = tonumber(args.dt or 0.01), duration = tonumber(args.duration or 2), fps = 50, contact = "barrier",
        gravity = {9.81 * math.sin(angle), -9.81 * math.cos(angle), 0} }
camera { eye = {0.5, 0.45, 1.3}, target = {0.1, 0.05, 0} }

local block = fem_body {
  name = "block",
  surface = box { size = {0.2, 0.1, 0.2} },
  edge = 0.05,
  volume = lattice { cell = 0.05 },
  at = {0, 0.0505, 0},
  material = { young = tonumber(args.young or 1e5), poisson = 0.3, density = 1000, friction = mu },
  color = "orange",
}
ground { height = 0, friction = mu }

-- Mean acceleration from half a second on, when the block has settled on the slope.
local now, places = 0, {}
on_step(function(t, dt)
  now = t
  table.insert(places, {t = t, x = block:center()[1]})
end)
local function speed(i) return (places[i + 1].x - places[i].x) / (places[i + 1].t - places[i].t) end
measure("acceleration", function()
  local first = 1
  while first < #places and places[first].t < 0.5 do first = first + 1 end
  local last = #places - 1
  if last <= first then return 0 end
  return (speed(last) - speed(first)) / (places[last].t - places[first].t)
end)
local expected = 9.81 * (math.sin(angle) - mu * math.cos(angle))
expect("it slides as Coulomb's law says, or stays", function()
  if expected > 0 then
    local a = (speed(#places - 1) - speed(#places // 2)) / (places[#places - 1].t - places[#places // 2].t)
    return math.abs(a - expected) < 0.02 * expected, string.format("%.4f m/s² for %.4f", a, expected)
  end
  local moved = places[#places].x - places[#places // 2].x
  return math.abs(moved) < 0.001, string.format("it moved by %.1e m in the second half", moved)
end)
