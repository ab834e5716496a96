-- A bar of chocolate is snapped by hand. Brittle where the paper's examples are soft: it breaks at less than two
-- percent of strain, along the seams between its squares. The seams are weak regions (strength an eighth), which stands
-- for their smaller thickness: coarse tets do not see the grooves.
-- E 2e7 Pa, ν 0.3, ρ 1300 kg/m³, strength 3e5 Pa, seams 4e4 Pa. --set model=FILE snaps another closed surface.
-- Look for: the bar bends hardly at all, then a clean break between two rows of squares with flat faces, the halves
-- fall on the table. --set seams=false breaks it anywhere.
--
--   pliant run scenes/virtual-materials/chocolate.lua

world { dt = 0.005, duration = 1.6, fps = 50, seed = 2 }

local columns, rows, pitch, height = 6, 3, 0.025, 0.012

-- A slab with round grooves between the squares.
local function bar()
  local grooves = {}
  for i = 1, columns - 1 do
    local x = (i - columns / 2) * pitch
    table.insert(grooves, capsule { a = {x, 1.1 * height, -0.1}, b = {x, 1.1 * height, 0.1}, radius = 0.4 * height })
  end
  for k = 1, rows - 1 do
    local z = (k - rows / 2) * pitch
    table.insert(grooves, capsule { a = {-0.2, 1.1 * height, z}, b = {0.2, 1.1 * height, z}, radius = 0.4 * height })
  end
  local slab = box { size = {columns * pitch, height, rows * pitch}, rounding = 0.002, at = {0, height / 2, 0} }
  return difference { slab, table.unpack(grooves) }
end

local seams = {}
if args.seams ~= false and not args.model then
  for i = 1, columns - 1 do
    table.insert(seams, { inside = box { size = {0.24 * pitch, 1, 1}, at = {(i - columns / 2) * pitch, 0, 0} }, strength = 4e4 })
  end
end

local shape = args.model and load { file = args.model, fit = columns * pitch } or bar()

local chocolate = fem_body {
  name = "chocolate",
  surface = shape,
  edge = not args.model and 0.004 or nil,
  volume = lattice { tets = args.tets or 1600 },
  at = {0, 0.06, 0},
  material = { young = 2e7, poisson = 0.3, density = 1300, friction = 0.4, damping = { stiffness = 1e-3 },
               fracture = { strength = 3e5, noise = 0.05, propagation = 0.15, splits = 1 }, regions = seams },
  integrator = implicit_euler { iterations = 80, tolerance = 1e-3 },
  color = {0.09, 0.035, 0.016},
}
ground { height = 0, friction = 0.5 }

-- Two hands hold the ends and bend them down.
local around = shape:bounds()
local middle, extent = (around.min.x + around.max.x) / 2, around.max.x - around.min.x
for _, side in ipairs {-1, 1} do
  local hand, hinge = box { size = {0.05, 0.1, 0.2}, at = {side * 0.085, 0.06, 0} }, {side * 0.055, 0.066, 0}
  if args.model then
    hand = box { size = {0.25 * extent, 1, 1}, at = {middle + side * 0.4 * extent, 0.06, 0} }
    hinge = {middle + side * 0.25 * extent, 0.06 + (around.min.y + around.max.y) / 2, 0}
  end
  rotate { body = chocolate, inside = hand, axis = "z", center = hinge,
           angle = function(t) return -side * 14 * math.min(1, math.max(0, t - 0.2) / 0.6) end, release = 1.0 }
end

measure("pieces", function() return chocolate:pieces() end)
measure("height", function() return chocolate:height() end)
expect("it snaps", function() return chocolate:pieces() >= 2, chocolate:pieces() .. " pieces" end)
local low = args.model and 0.5 * (around.max.y - around.min.y) or 0.03
expect("the pieces lie on the table", function() return chocolate:center()[2] < low, string.format("%.3f m", chocolate:center()[2]) end)
