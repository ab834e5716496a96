-- Wind chimes (O'Brien, Shen & Gatchalian 2002, figure 1 and table 2): six aluminium tubes, 12.5 mm in radius, walls of
-- 1 mm, as long as a real set was measured to be. A gust throws them against a wooden clapper and each other.
-- Look for: pitches in the WAV within 1.7 % of those measured on the real chimes, 0.9 % on average, with overtones, and a
-- sound that lasts. --set tuned=true has the lengths to which the paper tuned its set; the pitches then are those of
-- the scale within 0.4 % (the paper's, by its own mesh, within 1 Hz).
--
--   pliant sound scenes/sound/chimes.lua -o chimes.wav --report r.json --out out/chimes
--   pliant render out/chimes -o chimes.mp4

world { dt = 1 / 200, duration = 4, fps = 25 }
camera { eye = {0.75, 1.25, 1.75}, target = {0, 0.98, 0}, fov = 32 }

-- Table 1: λ = 4.98e10, μ = 2.57e10 Pa, 2700 kg/m³, α₁ = 1e-7 s, α₂ = 0.
local lambda, mu = 4.98e10, 2.57e10
local aluminium = {
  young = mu * (3 * lambda + 2 * mu) / (lambda + mu), poisson = lambda / (2 * (lambda + mu)), density = 2700,
  friction = 0.2,
}
local length = {0.505, 0.475, 0.435, 0.410, 0.388, 0.353}
local wanted, within = {585.8, 656.0, 781.8, 877.5, 982.5, 1167.0}, 0.017
if args.tuned then
  length = {0.5061, 0.4770, 0.4366, 0.4115, 0.3878, 0.3548}
  wanted, within = {587.33, 659.26, 783.99, 880.00, 987.77, 1174.66}, 0.004
end

-- A blow of the clapper after Hertz, 2.87 (m²/(R E² v))^(1/5): half of 0.1 kg on a tube's radius at 0.4 m/s, and oak, which
-- gives way and not the tube, of about 9e9 Pa.
local blow = 2.87 * (0.05 ^ 2 / (0.0125 * 9e9 ^ 2 * 0.4)) ^ 0.2

local top, ring = 1.2, 0.075
local gust = {0.1, 0.16, 0.36, 0.24, 0.3, 0.42}  -- m/s, towards the middle
local oak, twine = {0.45, 0.26, 0.12}, {0.8, 0.76, 0.66}
local tubes = {}
for i = 1, 6 do
  local angle = (i - 1) * math.pi / 3
  local x, z = ring * math.cos(angle), ring * math.sin(angle)
  tubes[i] = rigid_body {
    name = "chime_" .. i,
    volume = structured(string.format("tube:length=%g,radius=0.0125,wall=0.001", length[i])),
    rotate = {90, 0, 0},
    at = {x, top - 0.5 * length[i], z},
    hung = { {x, top, z} },
    velocity = {-gust[i] * math.cos(angle), 0, -gust[i] * math.sin(angle)},
    material = aluminium, restitution = 0.5, pieces = 1,
    color = {0.75, 0.77, 0.8},
    sound = { modes = 12, damping = { mass = 0, stiffness = 1e-7 }, contact_time = blow },
  }
  obstacle { name = "string " .. i, shape = cylinder { radius = 0.0015, height = 0.108, at = {x, top + 0.06, z} }, edge = 0.002, color = twine }
end

-- The clapper, a disc of oak on a cord.
local clapper = rigid_body {
  name = "clapper", surface = cylinder { radius = 0.045, height = 0.02 }, edge = 0.008, at = {0, top - 0.19, 0},
  velocity = {0.6, 0, 0.15}, spin = {0, 40, 0},
  material = { preset = "oak", friction = 0.2 }, restitution = 0.75, pieces = 1, color = oak,
}
local cord = rigid_body {
  name = "cord", surface = cylinder { radius = 0.002, height = 0.292 }, edge = 0.002, at = {0, top - 0.034, 0},
  material = { density = 900 }, pieces = 1, color = twine,
}
joint { body = cord, at = {0, top + 0.112, 0} }
joint { body = clapper, to = cord, at = {0, top - 0.18, 0} }

-- What they hang from: a plate on a stand.
obstacle { name = "plate", shape = cylinder { radius = 0.1, height = 0.012, at = {0, top + 0.12, 0} }, edge = 0.006, color = oak }
obstacle { name = "stand", color = {0.2, 0.2, 0.22}, edge = 0.006, shape = union {
  capsule { a = {0, top + 0.12, 0}, b = {0, top + 0.2, 0}, radius = 0.006 },
  capsule { a = {0, top + 0.2, 0}, b = {-0.2, top + 0.2, -0.2}, radius = 0.008 },
  capsule { a = {-0.2, top + 0.2, -0.2}, b = {-0.2, 0.5, -0.2}, radius = 0.01 },
  cylinder { radius = 0.12, height = 0.02, at = {-0.2, 0.5, -0.2} } } }

measure("lowest", function() return tubes[1]:center()[2] end)
expect { measure = "lowest", near = top - 0.5 * length[1], within = 0.02, at = "always", description = "tubes hang" }
for i = 1, 6 do
  expect_sound { metric = "chime_" .. i .. "_hz", near = wanted[i], within = within * wanted[i] }
  expect_sound { metric = "chime_" .. i .. "_mode_hz", near = wanted[i], within = within * wanted[i] }
end
expect_sound { metric = "peak_dbfs", near = -1, within = 0.01 }
