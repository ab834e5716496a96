-- A clay slab is punched by a ball (O'Brien, Bargteil & Hodgins 2002, figure 6).
-- Look for: a hole with a bent rim, about as wide as the ball; what it punched out goes with it.
--
--   pliant run scenes/ductile/clay.lua --report clay.json
--   pliant run scenes/ductile/clay.lua --set steps=explicit

world { dt = args.dt or 5e-4, duration = args.duration or 0.15, fps = 100, seed = 1 }

local slab_body = fem_body {
  name = "slab",
  surface = box { size = {1, 1, 0.08} },
  volume = grid { cells = {16, 16, 2}, jitter = 0.25 },
  at = {0, 0.6, 0},
  material = include "parts/material.lua" { young = 3e6, poisson = 0.35, density = 1700, gamma1 = 0.01, gamma2 = 0.4, toughness = 1.2e5, phi = 300, psi = 600 },
  integrator = include "parts/steps.lua",
  color = {0.66, 0.5, 0.42},
}
fix { body = slab_body, inside = difference { box { size = {2, 2, 1}, at = {0, 0.6, 0} }, box { size = {0.9, 0.9, 2}, at = {0, 0.6, 0} } } }
obstacle { name = "ball", shape = sphere { radius = 0.12 }, friction = 0.3, color = {0.25, 0.25, 0.28},
           motion = function(t) return { at = {0.05, 0.62, 0.18 - 6 * math.min(t, 0.1)} } end }
ground { height = 0 }
camera { eye = {0.8, 0.9, 1.9}, target = {0, 0.58, 0}, fov = 34 }

measure("pieces", function() return slab_body:pieces() end)
measure("plastic_strain", function() return slab_body:plastic_strain() end)
expect("it is punched through", function() return slab_body:pieces() >= 2, slab_body:pieces() .. " pieces" end)
expect("its rim stays", function()
  local p = slab_body:point(0.45, 1.05, 0)
  return math.abs(p[3]) < 0.06, string.format("a corner moved by %.3f m", math.abs(p[3]))
end)
