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
sine_movement { body = beam, axis = "x", at = -3, direction = "y", amplitude = args.amplitude or 0.15, frequency = 3, free = false }

measure("end", function() return beam:point(3, 0, 0).y end)
measure("middle", function() return beam:point(0, 0, 0).y end)
measure("energy", function() return beam:energy() end)
state.most = 0
on_frame(function() state.most = math.max(state.most, math.abs(beam:point(3, 0, 0).y)) end)
measure("most", function() return state.most end)

expect { measure = "most", at_least = 0.05, at_most = 1 }
