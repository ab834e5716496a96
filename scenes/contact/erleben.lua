-- Shapes whose spikes, edges and seams meet exactly, where contact by normals does not know which way to push.
-- After the ten degenerate stacks of Erleben ("Methodology for assessing mesh-based contact point methods", 2018): spikes,
-- wedges, cliff edges, internal edges, holes and cracks, soft and stiff.
-- Look for: nothing that passes through, nothing that is thrown; tips that lean and fall over are right.
--
--   pliant run scenes/contact/erleben.lua --check intersections --set case=spike_on_spike
--   pliant run scenes/contact/erleben.lua --check intersections --set case=wedge_in_crack --set young=1e9

local case = args.case or "all"
local young = tonumber(args.young or 1e6)

world { dt = tonumber(args.dt or 0.01), duration = tonumber(args.duration or 1.5), fps = 50, contact = "barrier" }
camera { eye = {0.5, 2.0, 5.9}, target = {0, 0.1, 0} }
ground { height = 0, friction = 0.5 }

local gap = 0.01
local bodies = {}
local function body(shape, at, turn, color)
  bodies[#bodies + 1] = fem_body {
    surface = shape, edge = 0.04, volume = lattice { cell = 0.06 }, at = at, rotate = turn or {0, 0, 0},
    material = { young = young, poisson = 0.3, density = 1000, friction = 0.5 }, color = color,
  }
end
local function block(w, h, d) return box { size = {w, h, d} } end
local function spike() return cone { radius = 0.08, height = 0.16 } end
local wedge = {0, 0, 45}  -- a bar on its edge
local up, down = "orchid", "teal"

-- Each case stands round x. The lower body lies a hair above the ground.
local hair = 0.002
local cases = {
  spike_on_flat = function(x)
    body(block(0.24, 0.1, 0.24), {x, 0.05 + hair, 0}, nil, down)
    body(spike(), {x, 0.1 + hair + gap + 0.08, 0}, {180, 0, 0}, up)
  end,
  spike_on_spike = function(x)
    body(spike(), {x, 0.08 + hair, 0}, nil, down)
    body(spike(), {x, 0.16 + hair + gap + 0.08, 0}, {180, 0, 0}, up)
  end,
  spike_in_hole = function(x)
    body(difference { block(0.24, 0.12, 0.24), cone { radius = 0.001, top = 0.09, height = 0.13, at = {0, 0, 0} } },
         {x, 0.06 + hair, 0}, nil, down)
    body(spike(), {x, 0.2, 0}, {180, 0, 0}, up)
  end,
  wedge_on_wedge = function(x)
    body(block(0.12, 0.12, 0.3), {x, 0.086 + hair, 0}, wedge, down)
    body(block(0.3, 0.12, 0.12), {x, 0.086 * 3 + hair + gap, 0}, {45, 0, 0}, up)
  end,
  wedge_on_flat = function(x)
    body(block(0.24, 0.1, 0.24), {x, 0.05 + hair, 0}, nil, down)
    body(block(0.1, 0.1, 0.2), {x, 0.1 + hair + gap + 0.071, 0}, wedge, up)
  end,
  wedge_in_crack = function(x)
    for _, side in ipairs {-1, 1} do body(block(0.14, 0.14, 0.24), {x + side * 0.0725, 0.07 + hair, 0}, nil, down) end
    body(block(0.08, 0.08, 0.2), {x, 0.14 + hair + gap + 0.057, 0}, wedge, up)
  end,
  cliff_edge = function(x)
    body(block(0.2, 0.12, 0.2), {x, 0.06 + hair, 0}, nil, down)
    body(block(0.2, 0.12, 0.2), {x + 0.09, 0.18 + hair + gap, 0}, nil, up)
  end,
  internal_edge = function(x)
    for _, side in ipairs {-1, 1} do body(block(0.14, 0.1, 0.2), {x + side * 0.071, 0.05 + hair, 0}, nil, down) end
    body(block(0.1, 0.08, 0.1), {x, 0.14 + hair + gap, 0}, nil, up)
  end,
  hole = function(x)
    body(difference { block(0.26, 0.08, 0.26), block(0.1, 0.2, 0.1) }, {x, 0.04 + hair, 0}, nil, down)
    body(sphere { radius = 0.09 }, {x, 0.2, 0}, nil, up)
  end,
  flush = function(x)
    for i = 0, 2 do body(block(0.16, 0.08, 0.16), {x, 0.04 + hair + i * (0.08 + gap), 0}, nil, i == 2 and up or down) end
  end,
}
local names = {}
for name in pairs(cases) do names[#names + 1] = name end
table.sort(names)
if case == "all" then
  for i, name in ipairs(names) do cases[name](0.42 * (i - 0.5 * (#names + 1))) end
else
  assert(cases[case], "case is one of " .. table.concat(names, ", "))(0)
end

local function energy()
  local sum = 0
  for _, b in ipairs(bodies) do sum = sum + b:energy() + 9.81 * b:mass() * b:center()[2] end
  return sum
end
local start, most
measure("energy", function()
  local now = energy()
  start = start or now
  most = math.max(most or now, now)
  return now
end)
measure("lowest", function()
  local low = 1
  for _, b in ipairs(bodies) do low = math.min(low, b:bounds().min[2]) end
  return low
end)
expect("nothing was thrown", function()
  return most <= start * (1 + 1e-6), string.format("the energy was %.4f J and at most %.4f J", start, most)
end)
expect("nothing fell through the ground", function()
  local low = 1
  for _, b in ipairs(bodies) do low = math.min(low, b:bounds().min[2]) end
  return low > 0, string.format("the lowest point is %.2g m up", low)
end)
