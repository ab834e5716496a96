-- Figurines of porcelain fall through a chute with shelves of plastic, metal and wood (O'Brien, Shen & Gatchalian 2002,
-- figure 4). Everything sounds: the hollow figurines and the shelves. Look for: a figurine on the metal shelf makes it
-- ring on, the others knock; each shelf has its own pitch. Their thickness is such that plastic and metal sound at table
-- 1's 488.9 and 691.5 Hz, and figurines are so large that they sound at 855.9 Hz.
-- What the table says does not all fit: by its own numbers for wood a shelf of this form sounds at 82 Hz, not 154.6;
-- and the metal bunny at 3,025 Hz, √12.5 times the ceramic one, whose 855.9 Hz it repeats.
-- --set bunny=metal has the metal bunny; --set model=FILE lets another closed surface fall, which is solid.
--
--   pliant sound scenes/sound/chute.lua -o chute.wav --out out/chute
--   pliant render out/chute -o chute.mp4

local scale = 1.6  -- of shelves of 30 cm × 20 cm
world { dt = 1 / 250, duration = 3, fps = 50 }
ground { friction = 0.6 }

local function lame(lambda, mu, density)
  return { young = mu * (3 * lambda + 2 * mu) / (lambda + mu), poisson = lambda / (2 * (lambda + mu)),
           density = density, friction = 0.25 }
end

-- Table 1's numbers; 48 cm × 32 cm × 3.4 cm.
local shelves = {
  { name = "plastic", matter = lame(2.49e10, 1.28e10, 2700), damping = { mass = 50, stiffness = 1e-6 }, color = {0.7, 0.15, 0.12} },
  { name = "metal", matter = lame(4.98e10, 2.56e10, 2700), damping = { mass = 0, stiffness = 1e-7 }, color = {0.7, 0.72, 0.76} },
  { name = "wood", matter = lame(5.0e8, 1.0e8, 750), damping = { mass = 50, stiffness = 8e-6 }, color = {0.5, 0.3, 0.14} },
}
for i, shelf in ipairs(shelves) do
  local side = i % 2 == 1 and -1 or 1
  rigid_body {
    name = shelf.name, volume = structured(string.format("plate:length=%g,width=%g,height=%g,cells=12", 0.3 * scale, 0.2 * scale, 0.01345 * scale ^ 2)),
    rotate = {82, 0, 22 * side}, at = {0.11 * side * scale, (1.05 - 0.27 * i) * scale, 0}, fixed = true, pieces = 1,
    material = shelf.matter, restitution = 0.4, color = shelf.color,
    sound = { modes = 40, damping = shelf.damping },
  }
end
camera { eye = {0.45 * scale, 1.3 * scale, 2.9 * scale}, target = {0, 0.66 * scale, 0} }
-- Walls of the chute.
obstacle { name = "back", shape = box { size = {0.55 * scale, 1.1 * scale, 0.01} }, at = {0, 0.6 * scale, -0.125 * scale}, friction = 0.2, color = {0.25, 0.27, 0.3} }
plane { name = "glass", point = {0, 0, 0.14 * scale}, normal = {0, 0, -1}, friction = 0.2 }
obstacle { name = "left", shape = box { size = {0.01, 1.1 * scale, 0.24 * scale} }, at = {-0.27 * scale, 0.6 * scale, 0}, friction = 0.2, color = {0.2, 0.22, 0.25} }
obstacle { name = "right", shape = box { size = {0.01, 1.1 * scale, 0.24 * scale} }, at = {0.27 * scale, 0.6 * scale, 0}, friction = 0.2, color = {0.2, 0.22, 0.25} }

-- A bunny-like figurine of the paper's soft ceramic: body, head, ears and tail, hollow with walls a tenth of its length.
local metal = args.bunny == "metal"
local large = 2.464  -- of one 7 cm long, which would sound at 2,109 Hz
local figurine = args.model and load { file = args.model, fit = 0.18 } or shell { smooth_union {
    ellipsoid { radii = {0.03, 0.026, 0.024}, at = {0, 0, 0} },
    sphere { radius = 0.018, at = {0.026, 0.026, 0} },
    capsule { a = {0.024, 0.04, 0.007}, b = {0.014, 0.066, 0.011}, radius = 0.006 },
    capsule { a = {0.024, 0.04, -0.007}, b = {0.014, 0.066, -0.011}, radius = 0.006 },
    sphere { radius = 0.009, at = {-0.031, 0.004, 0} },
    blend = 0.006,
  }, wall = 0.006 }:scaled(large)
local figurines = {}
for i = 1, 3 do
  figurines[i] = rigid_body {
    name = "bunny_" .. i, surface = figurine, edge = not args.model and 0.005 * large or nil, volume = conforming { cell = 0.0055 * large },
    at = {(-0.16 + 0.03 * i) * scale, 0.98 * scale + 0.25 * i, 0.02 * (i - 2)}, rotate = {20 * i, 50 * i, 15}, spin = {5, 4 * i, 12},
    material = metal and lame(4.99e10, 2.56e10, 2700) or lame(3.99e9, 2.05e9, 2700), restitution = 0.45, pieces = 12,
    color = metal and {0.72, 0.72, 0.75} or {0.85, 0.83, 0.78},
    sound = { modes = 40, damping = metal and { mass = 0, stiffness = 1e-7 } or { mass = 10, stiffness = 1e-6 } },
  }
end

measure("lowest", function()
  local low = 9
  for _, f in ipairs(figurines) do low = math.min(low, f:center()[2]) end
  return low
end)
measure("farthest", function()
  local far = 0
  for _, f in ipairs(figurines) do far = math.max(far, math.abs(f:center()[1]), f:center()[3]) end
  return far
end)
expect { measure = "lowest", at_least = 0.005, at = "always", description = "none falls through the ground" }
expect { measure = "farthest", at_most = 0.4 * scale, at = "always", description = "all stay in the chute" }
expect { measure = "lowest", at_most = 0.12 * scale, description = "one has come down" }
for name, pitch in pairs { plastic = 488.9, metal = 691.5, wood = 82.3 } do
  expect_sound { metric = name .. "_blows", at_least = 1 }
  expect_sound { metric = name .. "_mode_hz", near = pitch, within = 0.01 * pitch }
end
if not args.model then
  local pitch = metal and 3025 or 855.9
  expect_sound { metric = "bunny_1_mode_hz", near = pitch, within = 0.01 * pitch }
end
expect_sound { metric = "mean_over_peak", at_most = 1e-4 }
