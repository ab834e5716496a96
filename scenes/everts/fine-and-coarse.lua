-- Fine against coarse (Everts 2006, section 9.5, figures 9.7 to 9.9): the stretched cube with 125 and with 1000
-- particles at once. The thesis finds a difference of about 10 % for cmpm1 and 1 % for cmpm2.
--
--   pliant run scenes/everts/fine-and-coarse.lua --set model=cmpm2
local model = args.model or "cmpm1"
local strain, slow = 0.16, 0.4

world { dt = 0.005, duration = 0.5, fps = 50, gravity = { 0, 0, 0 } }

local rubber = include "parts/rubber.lua"
local body = {}
for i, kind in ipairs { { "coarse", 4 }, { "fine", 9 } } do
  local name, cells = kind[1], kind[2]
  body[name] = rubber(model, {
    name = name, surface = box { size = { 1, 1, 1 } }, edge = 0.25, at = { 1.6 * i - 2.4, 0, 0 },
    volume = grid { cells = { cells, cells, cells }, jitter = 0.3 },
    color = i == 1 and { 0.85, 0.35, 0.25 } or { 0.3, 0.5, 0.8 },
  }, { step = 1e-4, damping = 0.999 })
  for _, side in ipairs { -1, 1 } do
    move_steady { body = body[name], axis = "y", at = 0.5 * side, direction = "y",
                  speed = side * strain / 2 / slow, till = slow }
  end
  flux { body = body[name], axis = "y", at = 0.02, name = name }
end

local function difference(part)
  local a, b = body.coarse:flux("y", 0.02)[part].y, body.fine:flux("y", 0.02)[part].y
  return b ~= 0 and a / b - 1 or 0
end
measure("difference_elastic", function() return difference("elastic") end)
measure("difference_shear", function() return difference("shear") end)
measure("difference_total", function() return difference("total") end)

expect { measure = "difference_total", near = 0, within = 0.12 }
