-- A windscreen struck by a ball: two panes of glass with a tough film of plastic between them, one body with three
-- materials. The glass of O'Brien & Hodgins 1999, table 1; the film is a tenth as stiff, and it does not break.
-- Look for: the panes crack round the blow and along the frame, chips come off, and the film holds the rest together.
--
--   pliant run scenes/brittle/windscreen.lua --report windscreen.json
--   pliant run scenes/brittle/windscreen.lua --set steps=explicit

world { dt = args.dt or 5e-4, duration = args.duration or 0.08, fps = 200, seed = 1 }

local material = include "parts/table1.lua" {
  lambda = 1.04e8, mu = 1.04e8, phi = 0, psi = 6760, rho = 2588, force = 10140, area = 0.01,
}
-- Of three layers of elements the middle one is film.
material.regions = {
  { inside = box { size = {2, 2, 0.03} }, young = 2.6e7, density = 1100, strength = 1e12 },
}
local screen = fem_body {
  name = "screen",
  surface = box { size = {1.6, 1, 0.09} },
  volume = grid { cells = {14, 9, 3}, jitter = 0.25 },
  at = {0, 0.75, 0},
  material = material,
  integrator = include "parts/steps.lua",
  color = {0.6, 0.8, 0.8},
}
fix { body = screen, inside = difference { box { size = {2, 1.2, 1}, at = {0, 0.75, 0} }, box { size = {1.5, 0.9, 2}, at = {0, 0.75, 0} } } }
obstacle { name = "ball", shape = sphere { radius = 0.12 }, color = {0.75, 0.3, 0.2},
           motion = function(t) return { at = {0.15, 0.8, 0.2 - 5 * math.min(t, 0.018) + 2 * math.max(t - 0.018, 0)} } end }
camera { eye = {0.9, 1.2, 2.2}, target = {0, 0.72, 0}, fov = 36 }

measure("cracked", function() return screen:tet_count() end)
measure("pieces", function() return screen:pieces() end)
local whole = 14 * 9 * 3 * 6
expect("the glass cracks", function() return screen:tet_count() > whole, screen:tet_count() .. " of " .. whole .. " tets" end)
expect("the film holds it together", function()
  local moved = (screen:center() - vec(0, 0.75, 0)):length()
  return moved < 0.02, string.format("its centre of mass moved by %.4f m, %d pieces", moved, screen:pieces())
end)
