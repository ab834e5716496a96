-- A jelly figure falls down a flight of steps.
-- The figure is a handful of built-in shapes blended into one; swap it for a mesh of your own with
--   surface = load { file = "mine.obj", fit = 0.5 }
-- Look for: limbs that swing and settle, feet that rest on the steps and not in them.
--
--   pliant run scenes/quickstart.lua

world { dt = 0.01, duration = 4, fps = 50 }
camera { eye = {2.6, 2.0, 5.2}, target = {0, 0.42, 0.85} }

-- A gummy bear of about 45 cm, facing +z, feet at y = 0.
local function bear()
  local parts = {
    ellipsoid { radii = {0.105, 0.125, 0.09}, at = {0, 0.17, 0} },          -- belly
    sphere    { radius = 0.085, at = {0, 0.335, 0.01} },                     -- head
    sphere    { radius = 0.036, at = {0, 0.315, 0.085} },                    -- snout
  }
  for _, side in ipairs {-1, 1} do
    table.insert(parts, sphere  { radius = 0.034, at = {side * 0.062, 0.405, 0} })                                          -- ear
    table.insert(parts, capsule { a = {side * 0.09, 0.235, 0.02}, b = {side * 0.15, 0.17, 0.07}, radius = 0.038 })          -- arm
    table.insert(parts, capsule { a = {side * 0.062, 0.07, 0.02}, b = {side * 0.082, 0.043, 0.075}, radius = 0.045 })       -- leg
  end
  return smooth_union { blend = 0.03, table.unpack(parts) }
end

local jelly = fem_body {
  name = "bear",
  surface = bear(),
  edge = 0.012,
  volume = lattice { cell = args.cell or 0.05 },
  at = {0, 0.95, -0.1},
  rotate = {axis = {1, 0, 0.2}, angle = 20},
  velocity = {0, 0, 1.1},
  spin = {260, 0, 40},
  material = { preset = "jelly" },
  color = {0.85, 0.09, 0.12},
}

-- Four steps down, then the floor.
local rise, tread = 0.16, 0.24
for i = 1, 4 do
  local top = rise * (5 - i)
  obstacle {
    name = "step " .. i,
    shape = box { size = {0.9, top, tread}, rounding = 0.01, at = {0, top / 2, tread * (i - 1)} },
    friction = 0.4,
  }
end
ground { height = 0, friction = 0.4 }

measure("height", function() return jelly:center()[2] end)
measure("volume", function() return jelly:volume() end)
expect("the figure came to lie above the floor", function() return jelly:bounds().min[2] > -0.01 end)
expect("the volume stayed", function()
  local change = jelly:volume() / jelly:rest_volume() - 1
  return math.abs(change) < 0.15, string.format("it changed by %.1f %%", 100 * change)
end)
