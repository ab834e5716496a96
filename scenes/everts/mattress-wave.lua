-- Mattress wave (Everts 2006, section 9.7.3, figure 9.15): the sine movement at one side of a mattress.
--
--   pliant run scenes/everts/mattress-wave.lua --set model=cmpm1
local model = args.model or "cmpm2"

world { dt = 0.01, duration = 1.6, fps = 50, gravity = { 0, 0, 0 } }

local mattress = include "parts/rubber.lua"(model, {
  name = "mattress", surface = box { size = { 4, 0.25, 2 } }, edge = 0.15,
  volume = grid { cells = { 32, 2, 16 }, jitter = 0.2 }, color = { 0.5, 0.65, 0.85 },
}, { step = 1e-4, damping = args.damping or 0.9995 })
include "parts/wave.lua"(mattress, 2)
