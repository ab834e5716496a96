-- A body of the thesis' rubber (E = 3 MPa, G = 1 MPa, 1200 kg/m³) by any model: spring, cmpm1, cmpm2, cmpm3 or fem, the
-- corotational solid on the same mesh. E = 3G would mean that the volume cannot change at all; fem and cmpm3 take
-- Poisson's ratio 0.45.
--
--   rubber(model, desc, { step = 1e-4, damping = 0.999 })
--   how: step (s), damping (of velocities in each step), implicit (true: no leap-frog), young (Pa), poisson, friction
return function(model, desc, how)
  local young = how.young or 3e6
  local rate = -math.log(how.damping or 1) / (how.step or 1e-4) -- the same damping as Rayleigh's, 1/s
  local implicit = implicit_euler { iterations = 60, tolerance = 1e-5 }
  desc.material = { young = young, poisson = how.poisson or 0.45, density = 1200, friction = how.friction,
                    damping = { mass = rate } }
  if model == "fem" then
    desc.integrator = implicit
    return fem_body(desc)
  end
  desc.model = model
  desc.material.shear = young / 3
  desc.integrator = how.implicit and implicit or leap_frog { dt = how.step or 1e-4, damping = how.damping or 1 }
  return particle_body(desc)
end
