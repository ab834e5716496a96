-- Volume (Everts 2006, section 9.6, figures 9.10 to 9.12): the cube is pushed together by 0.24 while its volume is kept
-- (equation 3.20). volume_drift is the largest relative deviation over the run: the thesis reports 4.6e-5 m³ of 1 m³
-- with the constraint, and 24 % without. With it the cube grows wider: look at width.
--
--   pliant run scenes/everts/volume.lua
--   pliant run scenes/everts/volume.lua --set newton=0 --set gamma=0.5     equation 3.20 alone
--   pliant run scenes/everts/volume.lua --set keep=none                    or elements, particles
--   pliant run scenes/everts/volume.lua --set model=fem                    the same constraint on a FEM body
local model, keep = args.model or "cmpm1", args.keep or "total"
local strain, slow = 0.24, 0.8

world { dt = 0.002, duration = 0.9, fps = 50, gravity = { 0, 0, 0 } }

local cube = include "parts/cube.lua"(model, {
  color = { 0.45, 0.65, 0.35 }, poisson = 0.07,
  volume_constraint = keep ~= "none" and { keep = keep, gamma = args.gamma, newton = args.newton } or nil,
})

for _, side in ipairs { -1, 1 } do
  move_steady { body = cube, axis = "y", at = 0.5 * side, direction = "y",
                speed = -side * strain / 2 / slow, till = slow }
end
flux { body = cube, axis = "y", at = 0.02 }

state.drift = 0
local function drift()
  local now = math.abs(cube:volume() / cube:rest_volume() - 1)
  if now > state.drift then state.drift = now end
  return state.drift
end
on_step(function() drift() end)
measure("volume_drift", drift)
measure("volume", function() return cube:volume() end)
measure("width", function() return cube:bounds().max.x - cube:bounds().min.x end)

if keep == "total" then
  expect { measure = "volume_drift", at_most = 4.6e-5 }
  expect { measure = "width", at_least = 1.1 }
elseif keep == "none" and model ~= "spring" then -- springs that are pushed together fold
  expect { measure = "volume_drift", at_least = 0.15, at_most = 0.26 }
end
