-- The scene of the sweep test: a clamped bar bends under its own weight, more where it is heavy and soft.

world { dt = 0.02, duration = 1.2, fps = 25 }

local bar = fem_body {
  name = "bar",
  surface = box { size = {0.6, 0.1, 0.1}, at = {0.3, 0.5, 0} },
  edge = 0.03,
  volume = lattice { cell = 0.06 },
  material = { young = args.young, poisson = 0.3, density = args.density, damping = { mass = 4 } },
  color = {0.2, 0.45, 0.8},
}
fix { body = bar, inside = box { size = {0.05, 1, 1}, at = {0, 0.5, 0} } }

measure("tip", function() return bar:bounds().min[2] - 0.45 end)
expect("the bar hangs", function() return bar:bounds().min[2] < 0.45 end)
