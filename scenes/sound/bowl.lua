-- A bowl falls, wobbles and rolls on its rim (O'Brien, Shen & Gatchalian 2002, figure 3): aluminium and oak from the same
-- motion. Look for: the metal rings, the wood knocks; the faster and faster wobble at the end is heard in both.
--
--   pliant sound scenes/sound/bowl.lua -o aluminium.wav --out out/bowl
--   pliant sound scenes/sound/bowl.lua -o oak.wav --set material=oak

world { dt = 1 / 250, duration = 2.4, fps = 50 }
ground { friction = 0.35 }

-- Table 1, bowls 1 and 2. The density moves the body, so it is the same in both: the sound alone is rescaled.
local oak = args.material == "oak"
local lambda, mu = 4.98e9, 2.57e9
local damping = { mass = 30, stiffness = 1e-7 }
local density = 2700
if oak then lambda, mu, damping, density = 5e8 * 3.6, 1e8 * 3.6, { mass = 50, stiffness = 8e-6 }, 2700 end
-- Oak has 750 kg/m³ in the table; λ and μ times 2700/750 give the same pitches at the density of the motion.

local bowl = rigid_body {
  name = "bowl",
  volume = structured "bowl:radius=0.1,wall=0.005,depth=0.07",
  rotate = {-60, 0, 25}, at = {0, 0.32, 0}, spin = {120, 60, 40}, velocity = {0.25, 0, 0},
  material = {
    young = mu * (3 * lambda + 2 * mu) / (lambda + mu), poisson = lambda / (2 * (lambda + mu)), density = density,
    friction = 0.35,
  },
  restitution = 0.45,
  color = oak and {0.5, 0.3, 0.14} or {0.75, 0.77, 0.8},
  sound = { modes = 60, damping = damping, contact_time = oak and 0.0006 or 0.0003, roughness = 0.1 },
}

measure("height", function() return bowl:center()[2] end)
measure("speed", function() return bowl:max_speed() end)
expect { measure = "height", at_least = 0.005, at = "always", description = "it stays above the ground" }
-- It struck at 2.3 m/s; what is left is rocking.
expect { measure = "speed", at_most = 0.5, description = "most of its motion is spent" }
expect_sound { metric = "bowl_blows", at_least = 3 }
expect_sound { metric = "mean_over_peak", at_most = 1e-4 }
