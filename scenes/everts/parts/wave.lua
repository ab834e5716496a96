-- Sections 9.7.2 and 9.7.3: the side of a body at x = -reach goes up and down by 0.15 m, three times a second, and the
-- opposite side answers.
return function(body, reach)
  sine_movement { body = body, axis = "x", at = -reach, direction = "y", amplitude = args.amplitude or 0.15,
                  frequency = 3, free = false }
  measure("end", function() return body:point(reach, 0, 0).y end)
  measure("energy", function() return body:energy() end)
  state.most = 0
  on_frame(function() state.most = math.max(state.most, math.abs(body:point(reach, 0, 0).y)) end)
  measure("most", function() return state.most end)
  expect { measure = "most", at_least = 0.05, at_most = 1 }
end
