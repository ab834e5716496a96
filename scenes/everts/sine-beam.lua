-- Sine movement (Everts 2006, section 9.7.2, figure 9.14). One end of a thin beam goes up and down; waves run along it,
-- regular at first and less so when they come back.
--
--   pliant run scenes/everts/sine-beam.lua --set model=cmpm2
local model = args.model or "cmpm2"

world { dt = 0.01, duration = 1.6, fps = 50, gravity = { 0, 0, 0 } }

local beam = include "parts/rubber.lua"(model, {
  name = "beam", surface = box { size = { 6, 0.2, 0.2 } }, edge = 0.1,
  volume = grid { cells = { 90, 3, 3 }, jitter = 0.2 }, color = { 0.9, 0.7, 0.2 },
}, { step = 1e-4, damping = args.damping or 0.9995 })
include "parts/wave.lua"(beam, 3)
measure("middle", function() return beam:point(0, 0, 0).y end)
