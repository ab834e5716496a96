-- An aluminium tube that falls and rings, and a plastic one that is warmed: what the browser test listens to.
--
-- Its lowest tone, bent as a free beam (Euler and Bernoulli; shear lowers it by some percent):
--   f = 4.730²/(2π·L²)·√(E·(R² + r²)/(4·ρ)) = 962 Hz.

world { dt = 1 / 200, duration = 10, fps = 50 }
ground { friction = 0.3 }
rigid_body {
  name = "tube", volume = structured "tube:length=0.4,radius=0.0125,wall=0.001", at = {0, 0.5, 0}, rotate = {12, 0, 0},
  material = { young = 7e10, poisson = 0.33, density = 2700, friction = 0.2 }, restitution = 0.5, pieces = 1,
  color = {0.75, 0.77, 0.8},
  sound = { modes = 8, damping = { mass = 2, stiffness = 1e-7 }, contact_time = 0.0006 },
}
modal_body {
  name = "rod", volume = structured "tube:length=0.4,radius=0.0125,wall=0.002", at = {0.3, 0.02, 0}, modes = 12,
  material = { young = 3e9, poisson = 0.35, density = 1100, damping = { mass = 5, stiffness = 1e-6 } },
  color = {0.3, 0.5, 0.8},
  sound = { modes = 8, damping = { mass = 5, stiffness = 1e-6 } },
}
