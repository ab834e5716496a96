-- Why warped stiffness: two equal creatures hang by the tail and bend under their own weight
-- (Müller & Gross 2004, figure 1). The right one uses plain linear elasticity, which takes rotation for stretch:
-- its head inflates. The left one, corotational, keeps its size. The growth is reported as a number.
--
--   pliant run scenes/linear-versus-corotational.lua --report r.json

world { dt = 0.01, duration = 4, fps = 50 }

local function creature()
  local parts = {
    ellipsoid { radii = {0.36, 0.17, 0.16}, at = {0.1, 0, 0} },
    sphere    { radius = 0.17, at = {0.62, 0.1, 0} },
    capsule   { a = {-0.2, 0.02, 0}, b = {-0.75, 0.06, 0}, radius = 0.07 },
    capsule   { a = {0.7, 0.06, 0}, b = {0.86, 0.03, 0}, radius = 0.075 },
  }
  for _, side in ipairs {-1, 1} do
    table.insert(parts, capsule { a = {0.32, -0.05, side * 0.1}, b = {0.34, -0.34, side * 0.11}, radius = 0.055 })
    table.insert(parts, capsule { a = {-0.12, -0.05, side * 0.1}, b = {-0.14, -0.34, side * 0.11}, radius = 0.055 })
    table.insert(parts, capsule { a = {0.56, 0.2, side * 0.09}, b = {0.52, 0.32, side * 0.13}, radius = 0.035 })
  end
  return smooth_union { blend = 0.06, table.unpack(parts) }
end

local function hung(elasticity, x, color)
  local body = fem_body {
    name = elasticity,
    surface = creature(),
    edge = 0.025,
    volume = lattice { cell = args.cell or 0.12 },
    at = {x, 1.75, 0},
    material = { young = 6e4, poisson = 0.33, density = 1000, elasticity = elasticity, damping = { mass = 1 } },
    color = color,
  }
  fix { body = body, inside = box { size = {0.3, 1, 1}, at = {x - 0.75, 1.75, 0} } }
  return body
end

local warped = hung("corotational", -1.0, {0.25, 0.5, 0.9})
local linear = hung("linear", 1.0, {0.9, 0.3, 0.2})
ground { height = 0 }

measure("growth_corotational", function() return warped:volume() / warped:rest_volume() - 1 end)
measure("growth_linear", function() return linear:volume() / linear:rest_volume() - 1 end)
expect("linear elasticity inflates the body, warped stiffness does not", function()
  local a, b = warped:volume() / warped:rest_volume() - 1, linear:volume() / linear:rest_volume() - 1
  return b > 0.1 and math.abs(a) < 0.1, string.format("linear %+.0f %%, corotational %+.1f %%", 100 * b, 100 * a)
end)
