-- A mat is twisted, turn after turn, until it lies on itself.
-- Look for: folds that press on each other and never pass through; `--check intersections` is the judge of that.
--
--   pliant run scenes/contact/twisted-mat.lua --check intersections
--   pliant run scenes/contact/twisted-mat.lua --set turns=8     # slow: minutes

local turns = tonumber(args.turns or 3)
local rate = tonumber(args.rate or 1)  -- turns a second
local length, width, thickness = 1.0, 0.4, 0.02

world { dt = tonumber(args.dt or 0.01), duration = turns / rate, fps = 25, gravity = {0, 0, 0}, contact = "barrier" }
camera { eye = {0.6, 0.6, 1.8}, target = {0, 0, 0} }

local mat = fem_body {
  name = "mat",
  surface = box { size = {length, thickness, width} },
  edge = 0.04,
  volume = grid { cells = {40, 1, 16} },
  material = { young = 2e5, poisson = 0.4, density = 1000, friction = 0.1, damping = { mass = 1, stiffness = 0.01 } },
  color = "olive",
}
for _, side in ipairs {-1, 1} do
  rotate { body = mat, inside = box { size = {0.04, 1, 1}, at = {side * length / 2, 0, 0} },
           axis = {1, 0, 0}, center = {0, 0, 0}, angle = function(t) return side * 180 * rate * t end }
end
measure("volume_change", function() return mat:volume() / mat:rest_volume() - 1 end)
measure("energy", function() return mat:elastic_energy() end)
