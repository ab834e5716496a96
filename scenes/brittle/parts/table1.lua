-- Materials of O'Brien & Hodgins 1999, table 1, in the words of a scene.
--
-- λ and μ (Pa), φ and ψ (Pa·s) and ρ (kg/m³) are the table's. Its toughness τ is compared with equation 32's force at a
-- node; ours is a stress (docs/brittle.md), so that force over the area (m²) that a node of the scene's mesh stands for.
return function(row)
  local nu = row.lambda / (2 * (row.lambda + row.mu))
  local fracture = {
    through_elements = true, toughness = args.toughness or row.force / row.area, splits = args.splits or 2000,
    touch = args.touch == true,
  }
  if args.speed then fracture.speed = args.speed end
  return {
    young = 2 * row.mu * (1 + nu), poisson = nu, density = row.rho, friction = row.friction or 0.5,
    elasticity = "green", law = { phi = row.phi, psi = row.psi }, fracture = fracture,
  }
end
