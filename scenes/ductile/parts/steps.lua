-- --set steps=explicit: the paper's way, by steps of the body's own that are short enough for its waves.
-- --set steps=implicit: one solve in each step of the world.
if args.steps and args.steps ~= "explicit" and args.steps ~= "implicit" then
  error("steps is 'explicit' or 'implicit', not '" .. tostring(args.steps) .. "'")
end
if args.steps == "explicit" then return symplectic_euler {} end
return implicit_euler { iterations = 60, tolerance = 1e-3 }
