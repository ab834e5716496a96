-- The scene of the browser test: a jelly block on the floor, a wax block that melts, a post to bump into.

world { dt = 0.01, duration = 20, fps = 50 }

local jelly = fem_body {
  name = "jelly",
  surface = box { size = {0.3, 0.3, 0.3}, rounding = 0.03, at = {0, 0.16, 0} },
  edge = 0.04,
  volume = lattice { cell = 0.12 },
  material = { young = 2e4, poisson = 0.4, density = 1000, damping = { stiffness = 0.01 } },
  color = {0.85, 0.09, 0.12},
}

local wax = fem_body {
  name = "wax",
  surface = box { size = {0.2, 0.3, 0.2}, rounding = 0.02, at = {0.5, 0.16, 0} },
  edge = 0.04,
  volume = lattice { cell = 0.1 },
  material = {
    young = 5e5, poisson = 0.4, density = 900,
    plasticity = creep { yield = 0.05, rate = 5, max = 10 },
    heat = {
      conductivity = 2, specific_heat = 200,
      table = { {40, young = 5e5}, {70, young = 5e3} },
    },
  },
  color = {0.9, 0.75, 0.35},
}

ground { height = 0, friction = 0.6 }

measure("height", function() return jelly:center()[2] end)
measure("wax height", function() return wax:center()[2] end)
