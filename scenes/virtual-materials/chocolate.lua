-- A bar of chocolate is snapped by hand. Brittle where the paper's examples are soft: it breaks at less than two
-- percent of strain, along the seams between its squares. The seams are weak regions (strength a fifth), which stands
-- for their smaller thickness: coarse tets do not see the grooves.
-- E 2e7 Pa, ν 0.3, ρ 1300 kg/m³, strength 5e5 Pa, seams 1e5 Pa. --set model=FILE snaps another closed surface.
-- Look for: the bar bends hardly at all, then a clean break between two rows of squares with flat faces, the halves
-- fall on the table. --set seams=false breaks it anywhere.
--
--   pliant run scenes/virtual-materials/chocolate.lua

world { dt = 0.005, duration = 1.6, fps = 50, seed = 2 }

local columns, rows, pitch, height = 6, 3, 0.025, 0.012

-- Squares with sloping sides on a thin plate.
local function bar()
  local parts = { box { size = {columns * pitch, 0.55 * height, rows * pitch}, at = {0, 0.275 * height, 0} } }
  for i = 1, columns do
    for k = 1, rows do
      table.insert(parts, box { size = {0.8 * pitch, height, 0.8 * pitch}, rounding = 0.1 * pitch,
        at = {(i - 0.5 - columns / 2) * pitch, 0.5 * height, (k - 0.5 - rows / 2) * pitch} })
    end
  end
  return smooth_union { blend = 0.12 * pitch, table.unpack(parts) }
end

local seams = {}
if args.seams ~= false and not args.model then
  for i = 1, columns - 1 do
    table.insert(seams, { inside = box { size = {0.24 * pitch, 1, 1}, at = {(i - columns / 2) * pitch, 0, 0} }, strength = 1e5 })
  end
end

local chocolate = fem_body {
  name = "chocolate",
  surface = args.model and load { file = args.model, fit = columns * pitch } or bar(),
  edge = not args.model and 0.003 or nil,
  volume = lattice { tets = args.tets or 1600 },
  at = {0, 0.06, 0},
  material = { young = 2e7, poisson = 0.3, density = 1300, friction = 0.4, damping = { stiffness = 1e-3 },
               fracture = { strength = 5e5, noise = 0.05, propagation = 0.4, splits = 6 }, regions = seams },
  integrator = implicit_euler { iterations = 80, tolerance = 1e-3 },
  color = {0.09, 0.035, 0.016},
}
ground { height = 0, friction = 0.5 }

-- Two hands hold the ends and bend them down.
for _, side in ipairs {-1, 1} do
  rotate { body = chocolate, inside = box { size = {0.05, 0.1, 0.2}, at = {side * 0.085, 0.06, 0} },
           axis = "z", center = {side * 0.055, 0.066, 0},
           angle = function(t) return -side * 14 * math.min(1, math.max(0, t - 0.2) / 0.6) end, release = 1.0 }
end

measure("pieces", function() return chocolate:pieces() end)
measure("height", function() return chocolate:height() end)
expect("it snaps", function() return chocolate:pieces() >= 2, chocolate:pieces() .. " pieces" end)
expect("into few pieces", function() return chocolate:pieces() <= 12, chocolate:pieces() .. " pieces" end)
expect("the pieces lie on the table", function() return chocolate:height() < 0.05, string.format("%.3f m", chocolate:height()) end)
