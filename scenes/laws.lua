-- The elastic laws side by side: six bars are twisted by half a turn and let go.
-- From left to right corotational, linear, neo_hookean, invertible, green, anisotropic (docs/elasticity.md).
-- Look for: the linear bar collapses beside the turned end where the others twist into a helix; all come back to their shape.
--
--   pliant run scenes/laws.lua --export usd

world { dt = 0.01, duration = 4, fps = 50, gravity = {0, 0, 0} }

local laws = {
  { "corotational", color = {0.95, 0.55, 0.18} },
  { "linear", color = {0.75, 0.2, 0.2} },
  { "neo_hookean", color = {0.2, 0.5, 0.8} },
  { "invertible", law = { energy = "neo_hookean", threshold = 0.3 }, color = {0.3, 0.65, 0.35} },
  { "green", law = { phi = 20, psi = 20 }, color = {0.55, 0.4, 0.75} },
  { "anisotropic", law = { axis_young = {0.3, 1, 0.3}, axis_shear = {0.15, 0.15, 0.15}, axis_poisson = {0.1, 0.1, 0.1} },
    color = {0.8, 0.7, 0.3} },
}

local bars = {}
for i, law in ipairs(laws) do
  local x = 0.5 * (i - 3.5)
  local bar = fem_body {
    name = law[1],
    surface = box { size = {0.2, 1, 0.2}, at = {x, 0, 0} },
    volume = lattice { cell = 0.067 },
    edge = 0.03,
    material = { young = 1e5, poisson = 0.35, density = 1000, elasticity = law[1], law = law.law,
                 damping = { mass = 2, stiffness = 0.01 } },
    color = law.color,
  }
  fix { body = bar, inside = box { size = {0.4, 0.1, 0.4}, at = {x, 0.5, 0} } }
  rotate { body = bar, inside = box { size = {0.4, 0.1, 0.4}, at = {x, -0.5, 0} }, axis = {0, 1, 0}, center = {x, 0, 0},
           angle = function(t) return 180 * math.min(t, 1) end, release = 1.2 }
  measure(law[1] .. "_volume", function() return bar:volume() / bar:rest_volume() end)
  expect("the " .. law[1] .. " bar is straight again", function()
    return bar:max_speed() < 0.05 and math.abs(bar:volume() / bar:rest_volume() - 1) < 0.01,
      string.format("%.3f m/s, volume %.3f", bar:max_speed(), bar:volume() / bar:rest_volume())
  end)
  bars[i] = bar
end
