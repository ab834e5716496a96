-- A candle burns: the wick heats the top, the wax softens, sinks and runs down the sides, and sets where it is cold.
-- Heat conducts from element to element and is lost to the air; material numbers follow the temperature.
-- Time is run about 100 times too fast: specific heat 20 J/(kg·K) instead of 2000, conductivity accordingly.
-- Look for: a top that slumps while the foot stands straight; colour by temperature with --field temperature.
--
--   pliant run scenes/virtual-materials/candle.lua

world { dt = 0.01, duration = 6, fps = 25 }

local radius, height = 0.04, 0.2
local candle = fem_body {
  name = "candle",
  surface = cylinder { radius = radius, height = height, at = {0, height / 2, 0} },
  triangles = 6000,
  volume = lattice { tets = args.tets or 3000 },
  material = {
    young = 2e5, poisson = 0.4, density = 900, friction = 1, damping = { stiffness = 0.02 },
    plasticity = creep { yield = 0.2, rate = 1, max = 3, keep_volume = true },
    heat = {
      conductivity = 0.25, specific_heat = 20, ambient = 20, cooling = 12,
      -- A function instead of rows: cold wax is hard, at 60 °C it is a thick syrup.
      table = function(celsius)
        local soft = 1 / (1 + math.exp(-(celsius - 48) / 4))
        return { young = 2e5 * (2e3 / 2e5) ^ soft, yield = 0.2 * (0.002 / 0.2) ^ soft, rate = 0.5 * (40 / 0.5) ^ soft }
      end,
      hottest = 120,
    },
  },
  color = {0.93, 0.88, 0.72},
}
ground { height = -0.004, friction = 1 }
fix { body = candle, inside = box { size = {0.2, 0.02, 0.2} } }

-- The flame sits on top of what is left of the wick, and comes down with it.
local top = height
heat_source { at = function() return {0, top, 0} end, radius = 0.06, temperature = 110, power = 300, from = 0.5 }
on_step(function() top = candle:point(0, height, 0)[2] end)

measure("hottest", function() return candle:max_temperature() end)
measure("height", function() return candle:height() end)
measure("foot", function() return candle:point(radius, 0.06, 0)[1] end)
measure("volume_change", function() return candle:volume() / candle:rest_volume() - 1 end)
expect("the top has sunk", function() return candle:height() < 0.19, string.format("it is %.3f m high", candle:height()) end)
expect("the foot stands", function() return math.abs(candle:point(radius, 0.04, 0)[1] - radius) < 0.015 end)
