-- One body of every kind that hands can hold, side by side on the floor.

world { dt = 1 / 60, duration = 60, fps = 60 }

local function block(x) return box { size = {0.2, 0.2, 0.2}, at = {x, 0.102, 0} } end

fem_body {
  name = "fem", surface = block(-0.4), edge = 0.05, volume = lattice { cell = 0.1 }, color = {0.85, 0.09, 0.12},
  material = { young = 4e4, poisson = 0.4, density = 1000, damping = { stiffness = 0.01 } },
}
particle_body {
  name = "particles", surface = block(0), edge = 0.05, volume = grid { cells = {3, 3, 3} }, color = {0.9, 0.75, 0.35},
  model = "cmpm2", integrator = implicit_euler { iterations = 30 },
  material = { young = 4e4, poisson = 0.3, density = 1000, damping = { stiffness = 0.01 } },
}
modal_body {
  name = "modal", surface = block(0.4), edge = 0.05, volume = grid { cells = {3, 3, 3} }, modes = 12, color = {0.25, 0.5, 0.8},
  material = { young = 4e4, poisson = 0.3, density = 1000, damping = { mass = 1, stiffness = 0.005 } },
}
ground { height = 0, friction = 0.6 }
