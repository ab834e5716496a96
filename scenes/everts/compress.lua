-- Compress and stretch (Everts 2006, section 9.3, figures 9.3 and 9.4). Two opposite faces of a rubber cube of 1 m are
-- moved apart by 0.16 m in all, free to slide sideways; the force through the middle is expected to be
-- A ε E = 1 · 0.16 · 3e6 = 4.8e5 N. Look at flux_elastic and flux_shear, which grow in proportion to the stretch.
--
--   pliant run scenes/everts/compress.lua --set model=cmpm1      or cmpm2, cmpm3, spring, fem
--   pliant run scenes/everts/compress.lua --set way=compress     pushed together instead
--   pliant run scenes/everts/compress.lua --set cells=9          finer: section 9.5
local model = args.model or "cmpm1"
local way = (args.way or "stretch") == "compress" and -1 or 1
local strain, slow = args.strain or 0.16, 0.4

world { dt = 0.005, duration = 0.5, fps = 50, gravity = { 0, 0, 0 } }

local cube = include "parts/cube.lua"(model, { cells = args.cells, color = { 0.85, 0.35, 0.25 }, poisson = args.poisson })

for _, side in ipairs { -1, 1 } do
  move_steady { body = cube, axis = "y", at = 0.5 * side, direction = "y",
                speed = way * side * strain / 2 / slow, till = slow }
end

flux { body = cube, axis = "y", at = 0.02 }
measure("flux_total", function() return cube:flux("y", 0.02).total.y end)
measure("strain", function() return cube:bounds().max.y - cube:bounds().min.y - 1 end)
measure("width", function() return cube:bounds().max.x - cube:bounds().min.x end)
measure("volume", function() return cube:volume() end)

-- Springs that are pushed together buckle and fold (figure 2.1): nothing is promised of them.
if model == "spring" and way < 0 then return end
expect { measure = "strain", near = way * strain, within = 1e-4 }
-- What the models amount to (docs/particles.md): E_eff = 0.857 E for cmpm1 and cmpm2, E for the others.
local eff, within = 1, 0.02
if model == "cmpm1" or model == "cmpm2" then eff, within = 0.857, 0.1 end
expect("the force through the middle is that of Hooke's law", function()
  local f = cube:flux("y", 0.02).total.y
  return math.abs(f / (way * strain * 3e6 * eff) - 1) < within, "it is " .. f .. " N"
end)
