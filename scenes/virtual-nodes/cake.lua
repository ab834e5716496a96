-- A birthday cake of three layers with cream between is cut by a knife into eight slices, and one is served.
-- The layers are softer and stiffer elements of one mesh; the knife goes where no element ends.
-- Look for: a slice that comes away whole, with its layers and the cream between them.
--
--   pliant run scenes/virtual-nodes/cake.lua -o out && pliant render out --sheet 3x2 -o cake.png
world { duration = 3, dt = 0.005, fps = 50 }
camera { eye = { 0.24, 0.36, 0.5 }, target = { 0.02, 0.05, 0.02 }, fov = 30 }

local radius, height = 0.12, 0.09
local cream = { }
for _, y in ipairs { 0.03, 0.06 } do
    cream[#cream + 1] = { inside = box { size = { 1, 0.012, 1 }, at = { 0, y, 0 } }, young = 4e3, density = 500, color = "#fff4dd" }
end
local cake = fem_body {
    name = "cake",
    surface = cylinder { radius = radius, height = height }:at { 0, height / 2, 0 },
    volume = conforming { tets = 9000 },
    material = {
        young = 3e4,
        poisson = 0.2,
        density = 400,
        friction = 0.8,
        damping = { mass = 2, stiffness = 0.004 },
        regions = cream,
    },
    color = "#6b3a22", inside_color = "#d9a866",  -- icing, and sponge where it is cut
}
ground { friction = 0.8 }

-- Once across, then three times from the rim to that cut on either side, never twice to the same place.
local function stroke(from, a, offset, length)
    local x, z = math.cos(math.rad(a)), math.sin(math.rad(a))
    cut {
        body = cake,
        path = { { 0.15 * x + offset, 0.12, 0.15 * z }, { offset - length * x, 0.12, -length * z } },
        thickness = 0.0008,
        from = from,
        till = from + 0.15,
    }
end
stroke(0.2, 0, 0, 0.15)
for i = 1, 3 do
    stroke(0.2 + 0.2 * i, 45 * i, 0.004 * (2 - i), 0.001)
    stroke(0.8 + 0.2 * i, -45 * i, 0.004 * (2 - i) + 0.002, 0.001)
end

-- The server holds the slice by its outer end, lifts it and takes it out.
local out = math.rad(22.5)
move {
    body = cake,
    inside = box { size = { 0.03, 0.2, 0.04 }, at = { 0, 0.05, 0 } }:at { 0.108, 0, 0 }:rotated("y", -22.5),
    path = function(t)
        local lift = math.min(math.max((t - 1.6) / 0.5, 0), 1)
        local away = math.min(math.max((t - 2.0) / 0.8, 0), 1)
        return { 0.1 * away * math.cos(out), 0.06 * lift, 0.1 * away * math.sin(out) }
    end,
}
measure("pieces", function() return cake:pieces() end)
expect { measure = "pieces", at_least = 8, at_most = 8 }
-- Two places of the slice, near its tip and at its rim: it comes away whole.
local function at(r) return cake:point(r * math.cos(out), 0.045, r * math.sin(out)) end
measure("lifted", function() return math.min(at(0.03).y, at(0.1).y) - 0.045 end)
measure("slice", function() return (at(0.1) - at(0.03)):length() end)
expect { measure = "lifted", near = 0.06, within = 0.02, description = "the slice is lifted" }
on_frame(function(t, index) if index == 0 then state.slice = (at(0.1) - at(0.03)):length() end end)
expect("the slice keeps its form", function()
  local length = (at(0.1) - at(0.03)):length() / state.slice
  return math.abs(length - 1) < 0.1, string.format("%.3f of its length", length) end)
