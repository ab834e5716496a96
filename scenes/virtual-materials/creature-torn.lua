-- A creature is pulled apart by two hands (Müller & Gross 2004, figure 9 right, table 1: the dragon's column).
-- About 834 tets carry 10,000 triangles; E 1e5 Pa, ν 0.33, ρ 1000 kg/m³, yield stress (strength) 6e4 Pa, plastic yield
-- 0.1, creep 1 1/s, max 1, dt 0.01 s, 20 iterations. The creature is made of built-in shapes; --set model=armadillo.off
-- takes another one.
-- Look for: a waist that thins, tears across and closes on both sides; crack faces have another colour. The skin stays
-- closed, every piece of it (bodies[].surface_closed, skin_volume_error in the report).
-- --set dt=0.1 and --set stiffer=1000 try how stable it is.
--
--   pliant run scenes/virtual-materials/creature-torn.lua --report r.json

world { dt = args.dt or 0.01, duration = 3, fps = args.dt and math.min(50, 1 / args.dt) or 50, seed = 4 }

-- A plump dragon, facing +x, feet at y = 0, about 0.9 m high before it is scaled.
local function creature()
  local parts = {
    ellipsoid { radii = {0.32, 0.22, 0.2}, at = {0, 0.36, 0} },
    capsule   { a = {0.24, 0.44, 0}, b = {0.4, 0.66, 0}, radius = 0.09 },
    ellipsoid { radii = {0.14, 0.1, 0.1}, at = {0.47, 0.72, 0} },
    capsule   { a = {0.52, 0.69, 0}, b = {0.62, 0.66, 0}, radius = 0.06 },
    sweep     { points = { {-0.25, 0.32, 0}, {-0.42, 0.22, 0}, {-0.56, 0.14, 0.08}, {-0.66, 0.1, 0.2} },
                radii = {0.14, 0.1, 0.065, 0.035} },
  }
  for _, side in ipairs {-1, 1} do
    table.insert(parts, capsule { a = {0.17, 0.28, side * 0.13}, b = {0.21, 0.06, side * 0.16}, radius = 0.07 })
    table.insert(parts, capsule { a = {-0.16, 0.28, side * 0.13}, b = {-0.15, 0.06, side * 0.17}, radius = 0.08 })
    table.insert(parts, capsule { a = {0.44, 0.78, side * 0.05}, b = {0.38, 0.88, side * 0.09}, radius = 0.028 })
  end
  return smooth_union { blend = 0.04, table.unpack(parts) }
end

local size = args.size or 0.35
local stiffer = args.stiffer or 1

local beast = fem_body {
  name = "creature",
  surface = args.model and load { file = args.model, fit = 1.1 * size } or creature():scaled(size),
  edge = not args.model and 0.022 * size or nil,
  volume = lattice { tets = args.tets or 834 },
  at = {0, (args.model and 0.5 or 0.01) * size, 0},
  material = {
    young = 1e5 * stiffer, poisson = 0.33, density = 1000, friction = 0.8, damping = { stiffness = 0.005 },
    plasticity = creep { yield = 0.1, rate = 1, max = 1 },
    fracture = { strength = 6e4 * stiffer, noise = 0.1, propagation = 0.5, splits = 2 },
  },
  integrator = implicit_euler { iterations = 20 },
  color = {0.25, 0.5, 0.35},
}
ground { height = 0, friction = 0.8 }

-- One hand at the chest and everything before it, one at the tail; they let go when it is done.
local far = 0.9 * size
local function way(t) return far * math.min(1, math.max(0, t - 0.3) / 0.9) end
move { body = beast, inside = box { size = {size, 2 * size, size}, at = {0.75 * size, size, 0} },
       path = function(t) return {0.5 * way(t), 0.35 * way(t), 0} end, release = 2.2 }
move { body = beast, inside = box { size = {size, 2 * size, size}, at = {-0.8 * size, size, 0} },
       path = function(t) return {-0.5 * way(t), 0.35 * way(t), 0} end, release = 1.8 }

measure("pieces", function() return beast:pieces() end)
measure("plastic_strain", function() return beast:plastic_strain() end)
measure("speed", function() return beast:max_speed() end)
expect("it is torn apart", function() return beast:pieces() >= 2, beast:pieces() .. " pieces" end)
expect("no material is lost", function() return math.abs(beast:mass() / state.mass - 1) < 1e-12 end)
on_frame(function(t, index) if index == 0 then state.mass = beast:mass() end end)
