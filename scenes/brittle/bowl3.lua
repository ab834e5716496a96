-- Bowl 3 of four that differ in toughness alone (O'Brien & Hodgins 1999, figure 11, table 1): τ 33.1.
-- Look for: more again.
--
--   pliant run scenes/brittle/bowl3.lua --report bowl3.json
--   pliant run scenes/brittle/bowl3.lua --set steps=explicit

local bowl = include "parts/bowl.lua"(33.1)
expect("it breaks", function() return bowl:pieces() >= 4, bowl:pieces() .. " pieces" end)
