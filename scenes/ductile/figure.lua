-- A toy figure is pulled apart by its arms and legs (O'Brien, Bargteil & Hodgins 2002, figure 7).
-- Look for: limbs that draw out before they tear off.
--
--   pliant run scenes/ductile/figure.lua --report figure.json
--   pliant run scenes/ductile/figure.lua --set steps=explicit

world { dt = args.dt or 1e-3, duration = args.duration or 0.6, fps = 50, gravity = {0, 0, 0}, seed = 1 }

local figure = fem_body {
  name = "figure",
  surface = smooth_union {
    ellipsoid { radii = {0.17, 0.22, 0.12} }, sphere { radius = 0.13, at = {0, 0.32, 0} },
    capsule { a = {-0.12, 0.1, 0}, b = {-0.42, 0.22, 0}, radius = 0.055 },
    capsule { a = {0.12, 0.1, 0}, b = {0.42, 0.22, 0}, radius = 0.055 },
    capsule { a = {-0.08, -0.15, 0}, b = {-0.16, -0.5, 0}, radius = 0.065 },
    capsule { a = {0.08, -0.15, 0}, b = {0.16, -0.5, 0}, radius = 0.065 },
    blend = 0.05,
  },
  edge = 0.03,
  volume = conforming { cell = args.cell or 0.05 },
  material = include "parts/material.lua" { young = 1e6, gamma1 = 0.05, gamma2 = 0.6, toughness = 1.6e5 },
  integrator = include "parts/steps.lua",
  color = {0.85, 0.6, 0.35},
}
local function held(x, y, way)
  move { body = figure, inside = sphere { radius = 0.1, at = {x, y, 0} },
         path = function(t) return {way[1] * t, way[2] * t, 0} end }
end
held(-0.42, 0.22, {-0.8, 0.3})
held(0.42, 0.22, {0.8, 0.3})
held(-0.16, -0.5, {-0.3, -0.8})
held(0.16, -0.5, {0.3, -0.8})
camera { eye = {0.3, 0.2, 2.9}, target = {0, -0.05, 0}, fov = 40 }

measure("pieces", function() return figure:pieces() end)
measure("plastic_strain", function() return figure:plastic_strain() end)
expect("a limb comes off", function() return figure:pieces() >= 2, figure:pieces() .. " pieces" end)
expect("it has yielded", function() return figure:plastic_strain() > 0.02, string.format("%.3f", figure:plastic_strain()) end)
