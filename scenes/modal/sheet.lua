-- A sheet whose edge is fixed: those degrees of freedom are taken out before the decomposition (Hauser, Shen & O'Brien
-- 2003, section 3.4.1; table 1: 195 nodes, 486 tets, 20 modes).
-- Look for: the sheet sags, is flicked at its free corner, and swings without ever drifting.
--
--   pliant run scenes/modal/sheet.lua

world { dt = 1 / 60, duration = 3, fps = 30, gravity = {0, -2, 0} }

local sheet = modal_body {
  name = "sheet", surface = box { size = {1, 0.04, 0.7} }, volume = grid { cells = {14, 1, 10} },
  material = { young = 1.5e6, poisson = 0.3, density = 300, damping = { mass = 0.8, stiffness = 1e-3 } },
  modes = 20, hold = box { size = {0.02, 1, 1}, at = {-0.5, 0, 0} }, collide = false, color = {0.3, 0.55, 0.75},
}
pull { body = sheet, at = {0.5, 0, 0.35}, force = {0, 10, 0}, from = 0.3, till = 0.6 }

measure("corner", function() return sheet:point(0.5, 0, 0.35).y end)
measure("edge", function() return sheet:point(-0.5, 0, 0).y end)
measure("energy", function() return sheet:elastic_energy() end)
expect("the edge never moves", function()
  local p = sheet:point(-0.5, 0, 0)
  return math.abs(p.y) < 0.021, string.format("%.2e m", p.y) end)
expect("it sags", function() return sheet:point(0.5, 0, 0).y < -0.005, string.format("%.3f m", sheet:point(0.5, 0, 0).y) end)
