-- The scene of the test of --compare: a ball that comes down evenly, at args.fall m/s.
world { dt = 0.01, duration = 0.4, fps = 25, gravity = {0, 0, 0} }
local ball = fem_body {
  name = "ball",
  surface = sphere { radius = 0.2 },
  volume = lattice { tets = 200 },
  at = {0, 1, 0},
  velocity = {0, -tonumber(args.fall), 0},
  material = { young = 1e5, poisson = 0.3, density = 1000 },
}
ground { height = -1 }
measure("height", function() return ball:center()[2] end)
