-- The scene of the page test: a brittle bar falls across an edge and breaks, and a metal tube falls beside it and rings.

world { dt = 0.005, duration = 0.8, fps = 50 }

local bar = fem_body {
  name = "bar",
  surface = box { size = {0.5, 0.06, 0.1}, rounding = 0.008, at = {0, 0.45, 0} },
  edge = 0.03,
  volume = lattice { cell = 0.06 },
  velocity = {0, -2, 0},
  material = { young = 1e6, poisson = 0.3, density = 1000, fracture = { strength = 2e4 } },
  color = {0.35, 0.2, 0.1},
}

obstacle { name = "edge", shape = box { size = {0.04, 0.24, 0.3}, rounding = 0.01, at = {0, 0.12, 0} }, friction = 0.4 }

rigid_body {
  name = "tube", volume = structured "tube:length=0.4,radius=0.0125,wall=0.001", at = {0.15, 0.7, 0.2}, rotate = {12, 0, 0},
  material = { young = 7e10, poisson = 0.33, density = 2700, friction = 0.2 }, restitution = 0.5, pieces = 1,
  color = {0.75, 0.77, 0.8},
  sound = { modes = 8, damping = { mass = 2, stiffness = 1e-7 }, contact_time = 0.0006 },
}

ground { height = 0, friction = 0.5 }

measure("bar height", function() return bar:center()[2] end)
measure("pieces", function() return bar:pieces() end)
