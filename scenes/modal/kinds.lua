-- Bodies of all kinds touch, as in a furnished room: a jelly made of tets and a rigid die drop onto a modal plate that is held at both ends and
-- bends under them, a rigid block falls on a mattress made of tets, and a chain of rigid links swings from the joint at
-- its end.
-- Look for: the plate that quivers and sags, the die that lies still on it, the block that sinks in and tips over.
--
--   pliant run scenes/modal/kinds.lua

world { dt = 1 / 200, duration = 2.5, fps = 25 }
ground { friction = 0.6 }
camera { eye = {1.3, 1.25, 3.6}, target = {0.58, 0.4, 0}, fov = 29 }

-- What carries them: two trestles, a bedstead, and a post with a hook.
local wood = {0.42, 0.28, 0.16}
for i, x in ipairs {-0.91, 0.11} do
  obstacle { name = "trestle " .. i, color = wood, shape = union {
    box { size = {0.06, 0.04, 0.46}, at = {x, 0.352, 0} },
    capsule { a = {x, 0.34, 0.14}, b = {x, 0.02, 0.22}, radius = 0.02 },
    capsule { a = {x, 0.34, -0.14}, b = {x, 0.02, -0.22}, radius = 0.02 } } }
end
obstacle { name = "bedstead", color = wood, shape = union {
  box { size = {0.03, 0.34, 0.62}, at = {0.43, 0.17, 0}, rounding = 0.01 },
  box { size = {0.03, 0.26, 0.62}, at = {1.27, 0.13, 0}, rounding = 0.01 } } }
obstacle { name = "post", color = wood, shape = union {
  cylinder { radius = 0.03, height = 1.12, at = {1.505, 0.56, -0.2} },
  capsule { a = {1.505, 1.1, -0.2}, b = {1.505, 1.1, 0}, radius = 0.015 },
  capsule { a = {1.505, 1.1, 0}, b = {1.505, 0.86, 0}, radius = 0.008 } } }

local plate = modal_body {
  name = "plate", surface = box { size = {1, 0.05, 0.4} }, edge = 0.05, volume = grid { cells = {10, 1, 4} },
  at = {-0.4, 0.4, 0}, modes = 16, hold = union { box { size = {0.08, 1, 1}, at = {-0.5, 0, 0} }, box { size = {0.08, 1, 1}, at = {0.5, 0, 0} } },
  material = { young = 1.5e7, poisson = 0.3, density = 800, damping = { mass = 1, stiffness = 2e-3 } }, color = {0.3, 0.4, 0.7},
}
local jelly = fem_body {
  name = "jelly", surface = sphere { radius = 0.14 }, edge = 0.035, volume = lattice { tets = 800 }, at = {-0.4, 0.75, 0},
  material = { young = 2.5e4, poisson = 0.42, density = 700, damping = { mass = 1, stiffness = 0.004 } }, color = {0.8, 0.25, 0.3},
}
local die = rigid_body {
  name = "die", surface = box { size = {0.1, 0.1, 0.1} }, edge = 0.05, at = {-0.72, 0.56, 0.04}, rotate = {0, 20, 8},
  material = { density = 900, friction = 0.6 }, pieces = 1, color = {0.85, 0.75, 0.35},
}
local mattress = fem_body {
  name = "mattress", surface = box { size = {0.8, 0.2, 0.6} }, edge = 0.05, volume = grid { cells = {12, 3, 9} },
  at = {0.85, 0.105, 0}, material = { young = 4e4, poisson = 0.3, density = 150, damping = { mass = 3, stiffness = 0.02 } },
  color = {0.75, 0.72, 0.6},
}
local block = rigid_body {
  name = "block", surface = box { size = {0.18, 0.18, 0.18} }, edge = 0.06, at = {0.8, 0.6, 0.05}, rotate = {0, 25, 12},
  material = { density = 500, friction = 0.6 }, pieces = 1, color = {0.5, 0.32, 0.16},
}
local last
for i = 1, 4 do
  local link = rigid_body {
    name = "link_" .. i, surface = box { size = {0.12, 0.03, 0.03} }, edge = 0.03, at = {1.44 + 0.13 * i, 0.82, 0},
    material = { density = 2000 }, pieces = 1, color = {0.35, 0.37, 0.4},
  }
  joint { body = link, to = last, at = {1.375 + 0.13 * i, 0.82, 0} }
  last = link
end

measure("plate", function() return plate:center()[2] end)
measure("jelly", function() return jelly:center()[2] end)
measure("block", function() return block:center()[2] end)
measure("block_speed", function() return block:max_speed() end)
expect { measure = "jelly", at_least = 0.44, description = "the plate carries the jelly" }
expect { measure = "plate", at_most = 0.399, description = "the plate sags under it" }
expect { measure = "block", at_least = 0.2, at_most = 0.31, description = "the block lies on the mattress" }
measure("die", function() return die:center()[2] end)
measure("die_speed", function() return die:max_speed() end)
expect { measure = "die", at_least = 0.45, at_most = 0.48, description = "the die lies on the plate" }
expect { measure = "die_speed", at_most = 0.05, description = "the die rests" }
expect { measure = "block_speed", at_most = 0.05, description = "the block rests" }
