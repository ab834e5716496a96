-- A plump dragon, facing +x, feet at y = 0, about 0.9 m high: what creature.lua, creature-heat.lua and
-- creature-torn.lua pull, dent and tear. Scenes scale it: creature():scaled(0.35). creature { waist = 0.1 } is longer and
-- has a waist of this radius between chest and hips.

return function(form)
  local waist, back = form and form.waist, form and 0.12 or 0
  local parts = {
    not waist and ellipsoid { radii = {0.32, 0.22, 0.2}, at = {0, 0.36, 0} } or union {
      ellipsoid { radii = {0.17, 0.2, 0.19}, at = {0.2, 0.37, 0} },
      ellipsoid { radii = {0.17, 0.18, 0.18}, at = {-0.18 - back, 0.34, 0} },
      sweep { points = { {-0.2 - back, 0.36, 0}, {-0.06, 0.36, 0}, {0.12, 0.36, 0} }, radii = {1.5 * waist, waist, 1.5 * waist} } },
    capsule   { a = {0.24, 0.44, 0}, b = {0.4, 0.66, 0}, radius = 0.09 },
    ellipsoid { radii = {0.14, 0.1, 0.1}, at = {0.47, 0.72, 0} },
    capsule   { a = {0.52, 0.69, 0}, b = {0.62, 0.66, 0}, radius = 0.06 },
    sweep     { points = { {-0.25 - back, 0.32, 0}, {-0.42 - back, 0.22, 0}, {-0.56 - back, 0.14, 0.08}, {-0.66 - back, 0.1, 0.2} },
                radii = {0.14, 0.1, 0.065, 0.035} },
  }
  for _, side in ipairs {-1, 1} do
    table.insert(parts, capsule { a = {0.17, 0.28, side * 0.13}, b = {0.21, 0.06, side * 0.16}, radius = 0.07 })
    table.insert(parts, capsule { a = {-0.16 - back, 0.28, side * 0.13}, b = {-0.15 - back, 0.06, side * 0.17}, radius = 0.08 })
    table.insert(parts, capsule { a = {0.44, 0.78, side * 0.05}, b = {0.38, 0.88, side * 0.09}, radius = 0.028 })
  end
  return smooth_union { blend = 0.04, table.unpack(parts) }
end
