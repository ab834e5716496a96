-- Bowl 2 of four that differ in toughness alone (O'Brien & Hodgins 1999, figure 11, table 1): τ 39.6.
-- Look for: more pieces than of the first bowl.
--
--   pliant run scenes/brittle/bowl2.lua --report bowl2.json
--   pliant run scenes/brittle/bowl2.lua --set steps=explicit

local bowl = include "parts/bowl.lua"(39.6)
expect("it breaks", function() return bowl:pieces() >= 2, bowl:pieces() .. " pieces" end)
