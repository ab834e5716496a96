-- Blocks and boxes (O'Brien, Shen & Gatchalian 2002, figure 5): hollow wooden cubes with walls of 5 % of their width, a
-- stack of them knocked over. Small ones click, large ones thud: everything else is the same.
--
-- pliant sound scenes/sound/blocks.lua -o blocks.wav --out out/blocks                      5 cm blocks
-- pliant sound scenes/sound/blocks.lua -o boxes.wav --out out/boxes --set scale=10        50 cm boxes
-- pliant render out/blocks -o blocks.mp4

local scale = args.scale or 1
local edge = 0.05 * scale
local wall = 0.05 * edge

world { dt = 1 / 250, duration = 1.6 * math.sqrt(scale), fps = 50 }
ground { friction = 0.5, color = {0.35, 0.3, 0.26} }

-- Table 1: λ = 5e8, μ = 1e8 Pa, α₁ = 8e-6 s, α₂ = 50/s, 550 kg/m³.
local lambda, mu = 5e8, 1e8
local wood = {
  young = mu * (3 * lambda + 2 * mu) / (lambda + mu), poisson = lambda / (2 * (lambda + mu)), density = 550,
  friction = 0.5,
}

local cube = structured(string.format("crate:length=%g,wall=%g", edge, wall))

local blocks = {}
local rows = {3, 2, 1}
for level, count in ipairs(rows) do
  for i = 1, count do
    local x = (i - 0.5 * (count + 1)) * 1.15 * edge
    blocks[#blocks + 1] = rigid_body {
      name = string.format("block_%d", #blocks + 1), volume = cube,
      at = {x, (level - 0.5) * 1.004 * edge, 0},
      material = wood, restitution = 0.3, pieces = 1,
      color = {0.75 - 0.06 * level, 0.5 - 0.05 * i, 0.25},
      sound = {
        modes = 30, damping = { mass = 50, stiffness = 8e-6 }, contact_time = 4e-4 * scale,
      },
    }
  end
end

-- A heavy ball, silent, is thrown at it.
rigid_body {
  name = "ball", surface = sphere { radius = 0.8 * edge }, edge = 0.3 * edge, at = {-4 * edge, 2.4 * edge, 0.15 * edge},
  velocity = {44 * edge / math.sqrt(scale), 10 * edge / math.sqrt(scale), 0}, material = { density = 600, friction = 0.3 },
  pieces = 1, color = {0.15, 0.2, 0.3},
}

measure("top", function()
  local top = 0
  for _, b in ipairs(blocks) do top = math.max(top, b:center()[2]) end
  return top / edge
end)
measure("lowest", function()
  local low = 1e9
  for _, b in ipairs(blocks) do low = math.min(low, b:center()[2]) end
  return low / edge
end)
expect { measure = "top", at_most = 2, description = "the stack has fallen" }
expect_sound { metric = "mean_over_peak", at_most = 1e-4 }
expect { measure = "lowest", at_least = 0.4, at = "always", description = "no block sinks into the ground" }
