-- A brain-like lump of jelly pushed and pulled by forces (Hauser, Shen & O'Brien 2003, figure 1; table 1: 18,847
-- vertices over 304 nodes and 997 tets, 40 modes).
-- Look for: a dent that follows the push, a lobe drawn out by the pull, a quiver that dies away when both let go.
--
--   pliant run scenes/modal/brain.lua

world { dt = 1 / 60, duration = 3.5, fps = 30, gravity = {0, 0, 0} }

-- Two halves with a groove between them and winding folds on top.
local function brain()
  local parts = {}
  for _, side in ipairs {-1, 1} do
    table.insert(parts, ellipsoid { radii = {0.42, 0.33, 0.26}, at = {0, 0, 0.17 * side} })
    for row = 0, 2 do
      local points = {}
      for i = 0, 4 do
        local a = -1.2 + 2.4 * i / 4
        local wave = 0.05 * math.sin(5 * a + 1.7 * row)
        local r, lift = 0.37, -0.3 + 0.36 * row + wave
        table.insert(points, {r * math.sin(a) * math.cos(lift), 0.9 * r * math.cos(a) * math.cos(lift) * 0.9,
                              side * (0.16 + 0.27 * math.max(0, math.sin(0.8 + lift)) * math.cos(a))})
      end
      table.insert(parts, sweep { points = points, radius = 0.065 })
    end
  end
  table.insert(parts, capsule { a = {-0.08, -0.25, 0}, b = {-0.16, -0.55, 0}, radius = 0.09 })
  return smooth_union { blend = 0.03, table.unpack(parts) }
end

local lump = modal_body {
  name = "brain",
  surface = brain(), edge = args.edge or 0.05,
  volume = lattice { tets = args.tets or 1000 },
  material = { young = 3e4, poisson = 0.4, density = 1000, damping = { mass = 4, stiffness = 8e-3 } },
  modes = args.modes or 40,
  hold = sphere { radius = 0.16, at = {-0.16, -0.55, 0} },
  color = {0.86, 0.62, 0.6},
}

pull { body = lump, at = {0.42, 0.05, 0.17}, force = {140, 40, 0}, from = 0.2, till = 1.2 }
pull { body = lump, at = {-0.1, 0.3, -0.2}, force = {0, -260, 0}, from = 0.8, till = 1.8 }

measure("tip", function() return lump:point(0.42, 0.05, 0.17).x end)
measure("speed", function() return lump:max_speed() end)
measure("energy", function() return lump:elastic_energy() end)

state.most = state.most or 0
on_step(function()
  local x = lump:point(0.42, 0.05, 0.17).x
  state.start = state.start or x
  state.most = math.max(state.most, x - state.start)
end)
expect("the pull drew it out", function() return state.most > 0.01, string.format("%.4f m", state.most) end)
expect("it came back to rest", function() return lump:elastic_energy() < 0.5, string.format("%.2e J", lump:elastic_energy()) end)
