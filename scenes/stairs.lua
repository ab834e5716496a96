-- A rubber bunny tumbles down the stairs. The bunny is made of built-in shapes; for the classic one fetch it first:
--
--   pliant run scenes/stairs.lua
--   pliant models bunny && pliant run scenes/stairs.lua --set model=bunny.obj
--
-- Look for: bounces that lose energy, ears that lag behind, no vertex inside a step.

world { dt = 0.01, duration = 5, fps = 50 }
camera { eye = {4.6, 2.9, 7.2}, target = {-0.1, 0.68, 1.5}, fov = 26 }

local function bunny()
  local parts = {
    ellipsoid { radii = {0.15, 0.14, 0.19}, at = {0, 0.15, 0} },
    sphere    { radius = 0.1, at = {0, 0.31, 0.15} },
    sphere    { radius = 0.05, at = {0, 0.13, -0.2} },
  }
  for _, side in ipairs {-1, 1} do
    table.insert(parts, capsule { a = {side * 0.04, 0.38, 0.13}, b = {side * 0.085, 0.57, 0.06}, radius = 0.03 })
    table.insert(parts, ellipsoid { radii = {0.055, 0.085, 0.11}, at = {side * 0.11, 0.1, -0.06} })
    table.insert(parts, capsule { a = {side * 0.1, 0.035, -0.02}, b = {side * 0.1, 0.035, 0.1}, radius = 0.035 })
    table.insert(parts, capsule { a = {side * 0.06, 0.16, 0.15}, b = {side * 0.06, 0.04, 0.2}, radius = 0.034 })
  end
  return smooth_union { blend = 0.035, table.unpack(parts) }
end

local rubber = fem_body {
  name = "bunny",
  surface = args.model and load { file = args.model, fit = 0.6 } or bunny(),
  edge = 0.014,
  volume = lattice { tets = args.tets or 3000 },
  at = {0, 1.62, -0.1},
  velocity = {0, 0, 1.1},
  spin = {200, 0, 40},
  material = { preset = "rubber", young = 2e5 },
  color = {0.93, 0.68, 0.2},
}

for i = 1, 5 do
  local top = 0.24 * (6 - i)
  obstacle { name = "stair " .. i, friction = 0.4,
             shape = box { size = {1.5, top, 0.34}, rounding = 0.01, at = {0, top / 2, 0.34 * (i - 1)} } }
end
ground { height = 0, friction = 0.5 }

measure("height", function() return rubber:center()[2] end)
measure("kinetic_energy", function() return rubber:kinetic_energy() end)
expect("it has come down the stairs", function() return rubber:height() < 0.5, string.format("%.2f m", rubber:height()) end)
-- The picture ends a metre and a half before the last stair.
expect("it stays in the picture", function()
  local p = rubber:center()
  return math.abs(p.x) < 1 and p.z < 3.2, string.format("x %.2f m, z %.2f m", p.x, p.z)
end)
expect("it has come to rest", function() return rubber:velocity():length() < 0.1, string.format("%.3f m/s", rubber:velocity():length()) end)
expect("it lies above the floor", function() return rubber:bounds().min[2] > -0.01 end)
