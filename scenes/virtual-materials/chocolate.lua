-- A bar of chocolate is snapped by hand. Brittle where the paper's examples are soft: it breaks at less than two
-- percent of strain, along the seams between its squares. The seams are weak regions (strength an eighth), which stands
-- for their smaller thickness: coarse tets do not see the grooves.
-- E 2e7 Pa, ν 0.3, ρ 1300 kg/m³, strength 3e5 Pa, seams 4e4 Pa. --set model=FILE snaps another closed surface.
-- Look for: the bar bends hardly at all, then a clean break in the middle; the hands take the halves apart and let them
-- fall, and they lie on the table beside each other, chocolate outside and inside. --set seams=false breaks it anywhere.
--
--   pliant run scenes/virtual-materials/chocolate.lua

world { dt = 0.005, duration = 1.6, fps = 50, seed = 2 }
camera { eye = {0.13, 0.2, 0.3}, target = {0, 0.022, 0}, fov = 28 }

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
local around = shape:bounds()
local middle, long = (around.min.x + around.max.x) / 2, around.max.x - around.min.x
local lifted = 0.06

local chocolate = fem_body {
  name = "chocolate",
  surface = shape,
  edge = not args.model and 0.004 or nil,
  volume = args.model and lattice { tets = args.tets or 1600 } or grid { cells = {24, 2, 12} },
  at = {0, lifted, 0},
  material = { young = 2e7, poisson = 0.3, density = 1300, friction = 0.4, damping = { stiffness = 1e-3 },
               fracture = { strength = 3e5, noise = 0.05, propagation = 0.15, splits = 4, grain = 0.5 * pitch }, regions = seams },
  integrator = implicit_euler { iterations = 80, tolerance = 1e-3 },
  color = {0.09, 0.035, 0.016}, inside_color = {0.16, 0.07, 0.035},
}
ground { height = 0, friction = 0.5, color = {0.5, 0.42, 0.33} }

-- Each hand holds a half, turns it about the lower edge of the middle seam, and then takes it aside.
local function ramp(t, from, till) return math.min(1, math.max(0, (t - from) / (till - from))) end
for _, side in ipairs {-1, 1} do
  rotate { body = chocolate, axis = "z", center = {middle, lifted + around.min.y, 0},
           inside = box { size = {0.4 * long, 1, 1}, at = {middle + 0.32 * side * long, lifted, 0} },
           angle = function(t) return -side * 12 * ramp(t, 0.2, 0.6) end,
           path = function(t) return {0.1 * side * long * ramp(t, 0.6, 0.9), 0, 0} end, release = 0.9 }
end

measure("pieces", function() return chocolate:pieces() end)
measure("height", function() return chocolate:height() end)
-- Nodes on either side of the middle seam, and out in each half.
local inner, outer = long / 12, 5 / 12 * long
local function at(x) return chocolate:point(middle + x, lifted + 0.5 * height, 0) end
if args.model or args.seams == false then
  expect("it snaps", function() return chocolate:pieces() >= 2, chocolate:pieces() .. " pieces" end)
else
  expect("it snaps in two", function() return chocolate:pieces() == 2, chocolate:pieces() .. " pieces" end)
  measure("left_half", function() return (at(-outer) - at(-inner)):length() / (outer - inner) end)
  measure("right_half", function() return (at(outer) - at(inner)):length() / (outer - inner) end)
  measure("gap", function() return (at(inner) - at(-inner)):length() - 2 * inner end)
  expect { measure = "left_half", near = 1, within = 0.03, description = "the left half is whole" }
  expect { measure = "right_half", near = 1, within = 0.03, description = "the right half is whole" }
  expect { measure = "gap", at_least = 0.01, description = "the halves lie apart" }
end
local low = args.model and 0.5 * (around.max.y - around.min.y) or 0.03
expect("the pieces lie on the table", function() return chocolate:center()[2] < low, string.format("%.3f m", chocolate:center()[2]) end)
