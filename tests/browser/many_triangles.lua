-- A ball of 100,000 seen triangles on a few tets: what the stream and the page must carry.

world { dt = 0.02, duration = 60, fps = 50 }
local ball = fem_body {
  name = "ball",
  surface = sphere { radius = 0.5, at = {0, 0.8, 0} },
  triangles = 100000,
  volume = lattice { cell = 0.5 },
  material = { young = 2e4, poisson = 0.4, density = 1000 },
  color = {0.2, 0.45, 0.8},
}
ground { height = 0 }
