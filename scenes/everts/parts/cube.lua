-- The rubber cube of 1 m of sections 9.3 to 9.6 about the origin: a shaken grid, so that faces have all directions.
--
--   cube(model, { cells = 4, color = { 0.8, 0.4, 0.3 }, poisson = 0.45, volume_constraint = "total" })
return function(model, how)
  local cells = how.cells or 4
  return include "parts/rubber.lua"(model, {
    name = "cube", surface = box { size = { 1, 1, 1 } }, edge = 0.25,
    volume = grid { cells = { cells, cells, cells }, jitter = 0.3 }, color = how.color,
    volume_constraint = how.volume_constraint,
  }, { step = 1e-4, damping = 0.999, poisson = how.poisson })
end
