-- Mattress on a table (Everts 2006, section 9.7.3, figure 9.16): a soft mattress is draped over a block.
--
--   pliant run scenes/everts/mattress-table.lua --set model=cmpm1
--   pliant run scenes/everts/mattress-table.lua --set integrator=implicit
local model = args.model or "cmpm2"
local implicit = (args.integrator or "leap_frog") == "implicit"

world { dt = 0.005, duration = 2, fps = 50, gravity = { 0, -10, 0 } }

local mattress = include "parts/rubber.lua"(model, {
  name = "mattress", surface = box { size = { 2, 0.12, 1 } }, edge = 0.07, at = { 0, 0.2, 0 },
  volume = grid { cells = { 28, 2, 14 }, jitter = 0.2 }, color = { 0.5, 0.65, 0.85 },
}, { step = 2.5e-4, damping = 0.999, young = args.young or 1.5e5, friction = 0.6, implicit = implicit })
tabletop { height = 0, size = { 0.8, 0.4, 0.7 }, friction = 0.6 }

measure("sag", function() return mattress:center().y - mattress:point(1, 0.2, 0).y end)
measure("speed", function() return mattress:max_speed() end)
measure("low", function() return mattress:bounds().min.y end)

expect { measure = "sag", at_least = 0.1 }
expect { measure = "low", at_least = -1.2 }
expect("it lies on the table", function() return mattress:point(0, 0.14, 0).y > -0.03 end)
