-- Bowl 1 of four that differ in toughness alone (O'Brien & Hodgins 1999, figure 11, table 1): τ 52.9.
-- Look for: it comes apart in a few large pieces.
--
--   pliant run scenes/brittle/bowl1.lua --report bowl1.json
--   pliant run scenes/brittle/bowl1.lua --set steps=explicit

local bowl = include "parts/bowl.lua"(52.9)
expect("few pieces", function() return bowl:pieces() <= 40, bowl:pieces() .. " pieces" end)
