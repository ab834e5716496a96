-- The End (O'Brien, Shen & Gatchalian 2002, figure 6): letters fall onto a hard plate; letters and plate sound.
-- Look for: letters that fall onto their backs and can be read; small ones ring higher than tall ones; the last to come to
-- rest is heard last. The T is as tall as it must be to sound at the paper's 247.7 Hz.
--
--   pliant sound scenes/sound/the-end.lua -o the-end.wav --out out/the-end
--   pliant render out/the-end -o the-end.mp4

local scale = 2.43  -- of letters 14 cm high, whose T would sound at 602 Hz
world { dt = 1 / 250, duration = 2.8, fps = 50 }
camera { eye = {0.15 * scale, 1.25 * scale, 1.45 * scale}, target = {0, 0.12 * scale, 0} }
ground { height = -0.011 * scale, friction = 0.5 }

-- Table 1: λ = 1.49e9, μ = 7.7e8 Pa, α₁ = 2e-7 s, α₂ = 30/s, 2700 kg/m³.
local lambda, mu = 1.49e9, 7.7e8
local soft_metal = {
  young = mu * (3 * lambda + 2 * mu) / (lambda + mu), poisson = lambda / (2 * (lambda + mu)), density = 2700,
  friction = 0.5,
}
local damping = { mass = 30, stiffness = 2e-7 }

rigid_body {
  name = "plate", volume = structured(string.format("plate:length=%g,width=%g,height=%g,cells=16", 1.1 * scale, 0.5 * scale, 0.02 * scale)), rotate = {90, 0, 0},
  at = {0, -0.01 * scale, 0}, fixed = true, pieces = 1, material = { preset = "aluminium", friction = 0.5 },
  color = {0.3, 0.32, 0.36},
  sound = { modes = 40, damping = { mass = 20, stiffness = 2e-7 } },
}

local letters = { {"T", -0.45}, {"H", -0.29}, {"E", -0.13}, {"E", 0.1}, {"N", 0.26}, {"D", 0.43} }
local bodies = {}
for i, letter in ipairs(letters) do
  local height = ((i == 1 or i == 4) and 0.14 or 0.11) * scale
  bodies[i] = rigid_body {
    name = string.format("letter_%d", i), surface = text { text = letter[1], height = height, depth = 0.03 * scale }, edge = 0.012 * scale,
    volume = lattice { tets = 700 }, at = {(letter[2] - 0.04) * scale, (0.13 + 0.04 * ((i * 3) % 5)) * scale, 0.08 * scale}, rotate = {-32 - i / 2, 0, 0},
    spin = {-4, 0, 0}, material = soft_metal, restitution = 0.3, pieces = 20,
    color = {0.7, 0.5 - 0.05 * i, 0.12},
    sound = { modes = 40, damping = damping },
  }
end

measure("lowest", function()
  local low = 9
  for _, b in ipairs(bodies) do low = math.min(low, b:center()[2]) end
  return low
end)
measure("fastest", function()
  local most = 0
  for _, b in ipairs(bodies) do most = math.max(most, b:max_speed()) end
  return most
end)
expect { measure = "lowest", at_least = 0.008 * scale, at = "always", description = "letters stay above the plate" }
expect { measure = "fastest", at_most = 0.05, description = "they have come to rest" }
expect_sound { metric = "letter_1_mode_hz", near = 247.7, within = 2.5 }
expect_sound { metric = "plate_blows", at_least = 6 }
expect_sound { metric = "mean_over_peak", at_most = 1e-4 }
