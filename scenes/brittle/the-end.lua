-- The End (O'Brien & Hodgins 1999, figure 14, table 1): breakable letters fall onto hard ground. λ 0, μ 9.21e6 Pa,
-- ψ 9.2 Pa·s, ρ 705 kg/m³, τ 73.6.
-- Look for: letters that break where they are thin and where they strike.
--
--   pliant run scenes/brittle/the-end.lua --report the-end.json
--   pliant run scenes/brittle/the-end.lua --set steps=explicit

world { dt = args.dt or 5e-4, duration = args.duration or 0.15, fps = 100, seed = 1 }

local letters = {}
local places = { T = {-0.30}, H = {-0.18}, E = {-0.06, 0.08}, N = {0.20}, D = {0.33} }
local function letter(name, text_of, x, turn)
  letters[#letters + 1] = fem_body {
    name = name, surface = text { text = text_of, height = 0.12, depth = 0.03 }, edge = 0.015,
    volume = conforming { cell = args.cell or 0.014 }, at = {x - 0.05, 0.012, 0}, rotate = {0, 0, turn}, velocity = {0, -4, 0},
    material = include "parts/table1.lua" {
      lambda = 0, mu = 9.21e6, phi = 0, psi = 9.2, rho = 705, force = 73.6, area = 4e-4,
    },
    integrator = include "parts/steps.lua",
    color = {0.75, 0.6 - 0.06 * #letters, 0.3},
  }
end
letter("T", "T", places.T[1], 8)
letter("H", "H", places.H[1], -6)
letter("E", "E", places.E[1], 5)
letter("E2", "E", places.E[2], -9)
letter("N", "N", places.N[1], 7)
letter("D", "D", places.D[1], -4)
ground { height = 0, friction = 0.5 }
camera { eye = {0.05, 0.35, 0.75}, target = {0.0, 0.05, 0}, fov = 40 }

local function pieces()
  local sum = 0
  for _, l in ipairs(letters) do sum = sum + l:pieces() end
  return sum
end
measure("pieces", pieces)
expect("letters break", function() return pieces() >= 10, pieces() .. " pieces of six letters" end)
