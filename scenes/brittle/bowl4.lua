-- Bowl 4 of four that differ in toughness alone (O'Brien & Hodgins 1999, figure 11, table 1): τ 13.2.
-- Look for: it shatters into very many pieces.
--
--   pliant run scenes/brittle/bowl4.lua --report bowl4.json
--   pliant run scenes/brittle/bowl4.lua --set steps=explicit

local bowl = include "parts/bowl.lua"(13.2)
expect("it shatters", function() return bowl:pieces() >= 40, bowl:pieces() .. " pieces" end)
