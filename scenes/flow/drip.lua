-- Syrup drips: a drop sinks from a lump on a strand, merges with the puddle below, and the strand thins and breaks. Lump
-- and puddle are one body in two parts: breaking and merging, which Wojtan & Turk 2008 leave open.
-- Look for: one surface where drop and puddle meet, a strand that becomes a thread, and an end that hangs on above. The
-- puddle wrinkles where the strand runs in: folds that press on each other do not merge.
--
--   pliant run scenes/flow/drip.lua

world { dt = args.dt or 0.005, duration = args.duration or 1.2, fps = 50 }
camera { eye = {0.18, 0.16, 0.42}, target = {0, 0.1, 0}, fov = 32 }

local cell, edge = args.cell or 0.012, args.edge or 0.005
local syrup = fem_body {
  name = "syrup",
  surface = union { smooth_union { blend = 0.01, sphere { radius = 0.03, at = {0, 0.22, 0} },
                                   capsule { a = {0, 0.22, 0}, b = {0, 0.16, 0}, radius = 0.012 },
                                   sphere { radius = 0.024, at = {0, 0.15, 0} } },
                    ellipsoid { radii = {0.05, 0.012, 0.05}, at = {0, 0.014, 0} } },
  edge = edge,
  volume = lattice { cell = cell },
  material = { young = 1500, poisson = 0.48, density = 1300, friction = 1, plasticity = flow { yield = 0, rate = 100 } },
  remesh = { cell = cell, edge = edge, condition = 2, breaks = args.breaks or edge, merges = args.merges or 0.6 * edge },
  color = {0.75, 0.35, 0.05},
}
fix { body = syrup, inside = box { size = {0.1, 0.03, 0.1}, at = {0, 0.24, 0} } }
ground { height = 0, friction = 1 }

local merged, broke = false, false
measure("pieces", function()
  local pieces = syrup:pieces()
  merged = merged or pieces == 1
  broke = broke or merged and pieces > 1
  return pieces
end)
measure("remeshes", function() return syrup:remeshes() end)
measure("volume_change", function() return syrup:volume_change() end)
expect("the volume stays", function()
  return syrup:volume_change() <= 0.005, string.format("changed by %.2g", syrup:volume_change())
end)
expect("the drop merges with the puddle", function() return merged, "two parts all the time" end)
expect("the strand breaks", function() return broke, "one part from then on" end)
