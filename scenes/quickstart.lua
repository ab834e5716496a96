-- Three bears of jelly tumble down a flight of steps.
-- A bear is a handful of built-in shapes blended into one; swap it for a mesh of your own with
--   surface = load { file = "mine.obj", fit = 0.5 }
-- Look for: limbs that swing and settle, bears that push each other, feet that rest on the steps and not in them.
--
--   pliant run scenes/quickstart.lua

world { dt = 0.01, duration = 5, fps = 50 }
camera { eye = {-3.35, 1.5, 3.2}, target = {0.05, 0.68, 0.9}, fov = 33 }
lighting { floor = {0.5, 0.42, 0.34}, horizon = {0.62, 0.58, 0.52} }

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

-- Each is dropped from where and with what velocity?
local function drop(name, color, at, velocity, turn, spin)
  local jelly = fem_body {
    name = name, color = color,
    surface = bear(), edge = 0.013,
    volume = lattice { cell = args.cell or 0.05 },
    at = at, velocity = velocity, rotate = { axis = {1, 0, 0.2}, angle = turn }, spin = spin,
    material = { preset = "jelly" },
  }
  look { of = name, translucency = 0.6, gloss = 1.2 }
  return jelly
end
local bears = {
  drop("bear", {0.85, 0.09, 0.12}, {-0.05, 0.95, -0.1}, {0, 0, 1.1}, 20, {260, 0, 40}),
  drop("lime", {0.22, 0.6, 0.06}, {0.18, 1.2, -0.4}, {0, 2.2, 0.9}, -10, {150, 60, 0}),
  drop("amber", {0.95, 0.45, 0.02}, {-0.26, 1.25, -0.42}, {0.1, 4.4, 0.8}, 0, {-120, 0, 90}),
}

-- Four steps down, then the floor.
local rise, tread = 0.16, 0.24
for i = 1, 4 do
  local top = rise * (5 - i)
  obstacle {
    name = "step " .. i,
    shape = box { size = {0.9, top, tread}, rounding = 0.01, at = {0, top / 2, tread * (i - 1)} },
    friction = 0.4, color = {0.62, 0.55, 0.47},
  }
end
ground { height = 0, friction = 0.4, color = {0.55, 0.5, 0.43} }

measure("height", function() return bears[1]:center()[2] end)
measure("volume", function() return bears[1]:volume() end)
for _, bear in ipairs(bears) do
  local name = bear:name()
  measure(name .. "_speed", function() return bear:velocity():length() end)
  expect(name .. " lies above the floor", function() return bear:bounds().min[2] > -0.01 end)
  expect(name .. " kept its volume", function()
    local change = bear:volume() / bear:rest_volume() - 1
    return math.abs(change) < 0.15, string.format("it changed by %.1f %%", 100 * change)
  end)
  expect { measure = name .. "_speed", at_most = 0.1, description = name .. " has come to rest" }
end
