-- A material that yields before it tears (O'Brien, Bargteil & Hodgins 2002). gamma1, gamma2: as the paper writes them, of
-- a strain without the factor 1/2; gamma2 = 0 is brittle.
return function(m)
  local gamma1, gamma2 = args.gamma1 or m.gamma1, args.gamma2 or m.gamma2
  return {
    young = m.young, poisson = m.poisson or 0.3, density = m.density or 1000, friction = m.friction or 0.4,
    elasticity = "green", law = { phi = m.phi or 200, psi = m.psi or 400 },
    plasticity = gamma2 > 0 and finite_von_mises { yield = gamma1 / 2, max = gamma2 / 2 } or nil,
    fracture = { through_elements = true, toughness = args.toughness or m.toughness, splits = 2000 },
  }
end
