-- An elastic figure stands on its held feet and is pulled at constraint points (Hauser, Shen & O'Brien 2003, figures 6
-- and 7): hands and head go exactly where they are told, the rest follows by 40 modes.
-- Look for: arms drawn out and up, the body leaning after them, a shiver when all let go at 2 s.
--
--   pliant run scenes/modal/figure.lua

world { dt = 1 / 60, duration = 3.5, fps = 30, gravity = {0, 0, 0} }

local shape = smooth_union { blend = 0.06,
  sphere { radius = 0.16, at = {0, 1.35, 0} },
  capsule { a = {0, 0.65, 0}, b = {0, 1.1, 0}, radius = 0.16 },
  capsule { a = {0.1, 1.05, 0}, b = {0.55, 1.0, 0}, radius = 0.08 },
  capsule { a = {-0.1, 1.05, 0}, b = {-0.55, 1.0, 0}, radius = 0.08 },
  capsule { a = {0.08, 0.6, 0}, b = {0.16, 0.08, 0}, radius = 0.1 },
  capsule { a = {-0.08, 0.6, 0}, b = {-0.16, 0.08, 0}, radius = 0.1 } }

local figure = modal_body {
  name = "figure", surface = shape, edge = 0.04, volume = lattice { tets = 2500 },
  material = { young = 8e4, poisson = 0.4, density = 800, damping = { mass = 2, stiffness = 4e-3 } },
  modes = 40, hold = box { size = {1, 0.12, 1} }, collide = false, color = {0.85, 0.55, 0.25},
}
local function ease(t) t = math.min(1, math.max(0, t)); return t * t * (3 - 2 * t) end
drag { body = figure, at = {0.58, 1.0, 0}, release = 2,
       to = function(t) local s = ease(t); return {0.58 + 0.15 * s, 1.0 + 0.2 * s, 0.1 * s} end }
drag { body = figure, at = {-0.58, 1.0, 0}, release = 2,
       to = function(t) local s = ease(t - 0.5); return {-0.58, 1.0 - 0.15 * s, 0.15 * s} end }

state.reached, state.peak = state.reached or 0, state.peak or 0
on_step(function()
  state.peak = math.max(state.peak, figure:elastic_energy())
  state.reached = math.max(state.reached, figure:point(0.58, 1.0, 0).x - 0.58)
end)
measure("hand", function() return figure:point(0.58, 1.0, 0).x end)
measure("energy", function() return figure:elastic_energy() end)
expect("the hand went where it was told", function() return state.reached > 0.1, string.format("%.3f m", state.reached) end)
expect("it springs back when let go", function()
  return figure:elastic_energy() < 0.1 * state.peak, string.format("%.3f J of %.1f", figure:elastic_energy(), state.peak) end)
