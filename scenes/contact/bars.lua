-- Two crossed rubber bars with coarse surfaces, thrown at each other: edges meet edges, and neither passes through the other.
-- Look for: the upper bar drapes over the lower one, which is held at both ends, and stays above it.
--
--   pliant run scenes/contact/bars.lua --check intersections

world { dt = 0.01, duration = 2, fps = 50, contact = "barrier" }
camera { eye = {1.4, 1.0, 1.6}, target = {0, 0.25, 0} }

local function bar(name, at, axis, color)
  return fem_body {
    name = name,
    surface = box { size = axis == "x" and {1, 0.08, 0.08} or {0.08, 0.08, 1} },
    edge = 0.08,
    volume = lattice { cell = 0.08 },
    at = at,
    material = { young = 4e5, poisson = 0.4, density = 1000, friction = 0.5 },
    color = color,
  }
end
local lower = bar("lower", {0, 0.3, 0}, "x", "steelblue")
local upper = bar("upper", {0.02, 0.6, 0}, "z", "tomato")
fix { body = lower, inside = box { size = {0.1, 0.2, 0.2}, at = {-0.5, 0.3, 0} } }
fix { body = lower, inside = box { size = {0.1, 0.2, 0.2}, at = {0.5, 0.3, 0} } }
ground { height = 0 }

measure("height", function() return upper:bounds().max[2] - lower:bounds().min[2] end)
expect("the upper bar lies on the lower one", function()
  local above = upper:bounds().max[2]
  return above > 0.2, string.format("its highest point is %.2f m up", above)
end)
