-- Wind chimes (O'Brien, Shen & Gatchalian 2002, figure 1 and table 2): six aluminium tubes, 12.5 mm in radius, walls of
-- 1 mm, as long as a real set was measured to be. A gust throws them
-- against a wooden clapper and each other. Look for: pitches in the WAV
-- within 1.7 % of those measured on the real chimes, 0.9 % on average.
--
--   pliant sound scenes/sound/chimes.lua -o chimes.wav --report r.json --out out/chimes
--   pliant render out/chimes -o chimes.mp4

world { dt = 1 / 200, duration = 4, fps = 25 }

-- Table 1: λ = 4.98e10, μ = 2.57e10 Pa, 2700 kg/m³, α₁ = 1e-7 s. The mass damping makes them ring for seconds, not
-- for a minute.
local lambda, mu = 4.98e10, 2.57e10
local aluminium = {
  young = mu * (3 * lambda + 2 * mu) / (lambda + mu), poisson = lambda / (2 * (lambda + mu)), density = 2700,
  friction = 0.2,
}
local length = {0.505, 0.475, 0.435, 0.410, 0.388, 0.353}
local measured = {585.8, 656.0, 781.8, 877.5, 982.5, 1167.0}

local top, ring = 1.2, 0.075
local gust = {0.1, 0.16, 0.36, 0.24, 0.3, 0.42}  -- m/s, towards the middle
local tubes = {}
for i = 1, 6 do
  local angle = (i - 1) * math.pi / 3
  local x, z = ring * math.cos(angle), ring * math.sin(angle)
  tubes[i] = rigid_body {
    name = "chime_" .. i,
    volume = structured(string.format("tube:length=%g,radius=0.0125,wall=0.001", length[i])),
    rotate = {90, 0, 0},
    at = {x, top - 0.5 * length[i], z},
    hung = { {x, top + 0.06, z} },
    velocity = {-gust[i] * math.cos(angle), 0, -gust[i] * math.sin(angle)},
    material = aluminium, restitution = 0.5, pieces = 1,
    color = {0.75, 0.77, 0.8},
    sound = { modes = 12, damping = { mass = 2, stiffness = 1e-7 }, contact_time = 0.0012 },
  }
end

-- The clapper, a disc of oak on a string.
local clapper = rigid_body {
  name = "clapper", surface = cylinder { radius = 0.045, height = 0.02 }, edge = 0.008, at = {0, top - 0.19, 0},
  velocity = {0.6, 0, 0.15}, spin = {0, 40, 0},
  material = { preset = "oak", friction = 0.2 }, restitution = 0.75, pieces = 1, color = {0.45, 0.26, 0.12},
}
joint { body = clapper, at = {0, top + 0.1, 0} }
obstacle { name = "plate", shape = cylinder { radius = 0.1, height = 0.012 }, at = {0, top + 0.12, 0}, color = {0.45, 0.26, 0.12} }

measure("lowest", function() return tubes[1]:center()[2] end)
expect { measure = "lowest", near = top - 0.5 * length[1], within = 0.02, at = "always", description = "tubes hang" }
for i = 1, 6 do
  expect_sound { metric = "chime_" .. i .. "_hz", near = measured[i], within = 0.017 * measured[i] }
  expect_sound { metric = "chime_" .. i .. "_mode_hz", near = measured[i], within = 0.017 * measured[i] }
end
expect_sound { metric = "peak_dbfs", near = -1, within = 0.01 }
