-- A cow of warm wax melts under its own weight (Müller & Gross 2004, figure 8 right, table 1).
-- About 970 tets carry a skin of 7,700 triangles (cow.obj: 945 tets, 5,804 triangles); E 5e4 Pa, ν 0.33, ρ 1000 kg/m³, yield 0.01, creep 100 1/s, dt 0.01 s,
-- 20 iterations. The classic model is an option: --set model=cow.obj.
-- Wax keeps its volume while it flows (volume_change, within 2 %) up to a plastic strain of 4, where this stops. The
-- paper's max is 10: --set max=10, or --set paper=true with its own rule; then elements are pressed so flat that a mesh
-- at rest is no measure for them any more, and the puddle loses most of its volume (docs/plasticity.md).
-- Look for: legs that give way, a belly that settles on the ground, and no springing back.
-- --set dt=0.1 and --set stiffer=1000 try how stable it is.
--
--   pliant run scenes/virtual-materials/cow.lua

world { dt = args.dt or 0.01, duration = args.duration or 4, fps = args.dt and math.min(50, 1 / args.dt) or 50 }

-- A cow one unit high, facing +x, hoofs at y = 0.
local function cow()
  local parts = {
    ellipsoid { radii = {0.42, 0.24, 0.21}, at = {0, 0.66, 0} },                              -- trunk
    ellipsoid { radii = {0.2, 0.22, 0.2}, at = {0.24, 0.68, 0} },                             -- shoulders
    capsule   { a = {0.38, 0.76, 0}, b = {0.56, 0.9, 0}, radius = 0.1 },                      -- neck
    ellipsoid { radii = {0.16, 0.1, 0.1}, at = {0.65, 0.9, 0}, rotate = {0, 0, -25} },        -- head
    capsule   { a = {0.72, 0.86, 0}, b = {0.8, 0.82, 0}, radius = 0.065 },                    -- muzzle
    capsule   { a = {-0.41, 0.74, 0}, b = {-0.5, 0.42, 0}, radius = 0.028 },                  -- tail
    ellipsoid { radii = {0.1, 0.07, 0.09}, at = {-0.18, 0.44, 0} },                           -- udder
  }
  for _, side in ipairs {-1, 1} do
    table.insert(parts, capsule { a = {0.58, 0.97, side * 0.06}, b = {0.56, 1.07, side * 0.13}, radius = 0.025 })  -- horn
    table.insert(parts, capsule { a = {0.55, 0.93, side * 0.08}, b = {0.52, 0.92, side * 0.18}, radius = 0.032 })  -- ear
    table.insert(parts, capsule { a = {0.28, 0.55, side * 0.12}, b = {0.29, 0.07, side * 0.13}, radius = 0.068 })  -- fore leg
    table.insert(parts, capsule { a = {-0.28, 0.55, side * 0.12}, b = {-0.3, 0.07, side * 0.13}, radius = 0.072 }) -- hind leg
  end
  return smooth_union { blend = 0.05, table.unpack(parts) }
end

-- At this size the weight strains the legs several times beyond their yield.
local size = args.size or 0.25

local law = args.paper and creep_step { yield = 0.01, rate = 100, max = args.max or 10 }
                        or creep { yield = 0.01, rate = 100, max = args.max or 4, keep_volume = true }

local wax = fem_body {
  name = "cow",
  surface = args.model and load { file = args.model, fit = 1.3 * size } or cow():scaled(size),
  edge = not args.model and 0.0562 * size or nil,
  volume = lattice { tets = args.tets or 970 },
  at = {0, (args.model and 0.6 or 0.01) * size, 0},
  material = { young = 5e4 * (args.stiffer or 1), poisson = 0.33, density = 1000, friction = 0.8, plasticity = law },
  integrator = implicit_euler { iterations = 20 },
  color = {0.86, 0.74, 0.52},
}
ground { height = 0, friction = 0.8 }

measure("height", function() return wax:height() end)
measure("volume_change", function() return wax:volume() / wax:rest_volume() - 1 end)
measure("plastic_strain", function() return wax:plastic_strain() end)
measure("speed", function() return wax:max_speed() end)
if not args.stiffer then
  expect("the cow has melted", function() return wax:height() < 0.75 * size, string.format("it is %.3f m high", wax:height()) end)
end
if not (args.paper or args.max or args.model) then
  expect { measure = "volume_change", at = "end", at_least = -0.05, at_most = 0.05 }
end
-- Wax that has become as thin as a cell does not lie quite still: it wriggles at a few tenths of a metre a second.
on_frame(function() state.start = state.start or wax:center()[2] end)
expect("what its fall set free is spent", function()
  local left = wax:kinetic_energy() / (wax:mass() * 9.81 * (state.start - wax:center()[2]))
  return left < 0.05, string.format("%.1f %% of it is left", 100 * left)
end)
