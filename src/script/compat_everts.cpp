#include "pliant/script/compat_everts.hpp"

#include <algorithm>
#include <string_view>

namespace pliant::script {

namespace {

// Axes are 0, 1, 2; ways are metres per timestep; gravity pulls along y. Actions run in the order of the thesis
// whatever order they are added in: forces, leap-frog, then what is given or constrained. ClearForces needs nothing:
// forces start from zero in every step.
constexpr std::string_view prelude = R"lua(
Simulation, Structure = {}, {};
function Structure:new(file, density) return { file = file, density = density or 1000 } end;
function Simulation:new()
  local s = { actions = {}, skip = 1, steps = 1, size = 1e-4 };
  function s:setSaveSkip(n) self.skip = n end;
  function s:setNumTimesteps(n) self.steps = n end;
  function s:setStepSize(h) self.size = h end;
  function s:setStructure(structure) self.structure = structure end;
  function s:addAction(action)
    if type(action) ~= "table" or not action.kind then error("addAction takes an action, such as Gravity:new(10.0)", 2) end;
    self.actions[#self.actions + 1] = action;
  end;
  return s;
end;
local function everts_action(kind)
  return { new = function(_, ...) return { kind = kind, ... } end };
end;
ClearForces, EventForces, GlobalDamping, Gravity = everts_action "ClearForces", everts_action "EventForces", everts_action "GlobalDamping", everts_action "Gravity";
Ground, LeapFrog, MaterialForces, MaterialForces2 = everts_action "Ground", everts_action "LeapFrog", everts_action "MaterialForces", everts_action "MaterialForces2";
MoveBlock, MoveSteady, Rotate, SineMovement = everts_action "MoveBlock", everts_action "MoveSteady", everts_action "Rotate", everts_action "SineMovement";
SimpleVolumeConstraint, Tabletop, CalculateFlux = everts_action "SimpleVolumeConstraint", everts_action "Tabletop", everts_action "CalculateFlux";
function EventForces:new() local a = { kind = "EventForces", events = {} };
  function a:addEvent(step, x, y, z, fx, fy, fz) self.events[#self.events + 1] = { step, { x, y, z }, { fx, fy, fz } } end;
  return a;
end;
function setupSimulation(sim)
  local h, axes = sim.size, { [0] = "x", [1] = "y", [2] = "z" };
  if not sim.structure then error("setStructure has not been called", 2) end;
  local g, model, young, shear, damping, moves, keeps = 0, nil, 0, 0, 1, false, false;
  for _, a in ipairs(sim.actions) do
    if a.kind == "Gravity" then g = a[1] or 9.81
    elseif a.kind == "MaterialForces" then model, young, shear = "cmpm1", a[1], a[2]
    elseif a.kind == "MaterialForces2" then model, young, shear = "cmpm2", a[1], a[2]
    elseif a.kind == "GlobalDamping" then damping = a[1] or 1
    elseif a.kind == "SimpleVolumeConstraint" then keeps = a[1] or 1 / 3
    elseif a.kind == "LeapFrog" then moves = true end;
  end;
  if not moves then error("there is no LeapFrog among the actions, so that nothing would move", 2) end;
  if not model then error("there is neither MaterialForces nor MaterialForces2 among the actions", 2) end;
  world { dt = h * sim.skip, duration = h * (sim.steps - 1), fps = 1 / (h * sim.skip), gravity = { 0, -g, 0 } };
  local desc = { name = "object", model = model, volume = structure(sim.structure.file),
    material = { young = young, shear = shear, density = sim.structure.density },
    integrator = leap_frog { dt = h, damping = damping } };
  if keeps then desc.volume_constraint = { gamma = keeps } end;
  local body, fluxes = particle_body(desc), 0;
  measure("volume", function() return body:volume() end);
  measure("lowest", function() return body:bounds().min.y end);
  for _, a in ipairs(sim.actions) do
    local k = a.kind;
    if k == "Ground" then ground { height = a[1] or 0 }
    elseif k == "MoveSteady" then
      move_steady { body = body, axis = axes[a[1]], at = a[2], thickness = 1e-6, direction = axes[a[3]], speed = a[4] / h, till = (a[5] or 1e12) * h, release = a[6] == false and (a[5] or 1e12) * h or nil }
    elseif k == "MoveBlock" then
      move_block { body = body, min = { a[1], a[2], a[3] }, max = { a[4], a[5], a[6] }, direction = axes[a[7]], speed = a[8] / h, till = (a[9] or 1e12) * h }
    elseif k == "Rotate" then
      local size = { 1e6, 1e6, 1e6 };
      local at = { 0, 0, 0 };
      size[a[1] + 1], at[a[1] + 1] = 1e-6, a[2];
      rotate { body = body, inside = box { size = size }:at(at), axis = axes[a[1]], rate = math.deg(a[3]) / h, till = (a[4] or 1e12) * h }
    elseif k == "SineMovement" then
      sine_movement { body = body, axis = axes[a[1]], at = a[2], thickness = 1e-6, direction = axes[a[3]], amplitude = a[4], frequency = a[5] }
    elseif k == "Tabletop" then
      tabletop { height = a[1], size = { a[4] - a[2], 0.2, a[5] - a[3] }, center = { (a[2] + a[4]) / 2, 0, (a[3] + a[5]) / 2 } }
    elseif k == "CalculateFlux" then
      fluxes = fluxes + 1;
      flux { body = body, axis = axes[a[1]], at = a[2], name = fluxes == 1 and "flux" or "flux" .. fluxes }
    elseif k == "EventForces" then
      for _, e in ipairs(a.events) do event_force { body = body, at = e[2], force = e[3], time = e[1] * h, duration = h } end
    end;
  end;
end;
)lua";

}  // namespace

std::optional<std::string> everts_scene(const std::string& text) {
    if (text.find("Simulation:new(") == std::string::npos || text.find("setupSimulation(") == std::string::npos)
        return std::nullopt;
    // On the script's first line, so that its lines keep their numbers.
    std::string scene(prelude);
    std::replace(scene.begin(), scene.end(), '\n', ' ');
    // Typeset listings have a long dash where Lua has two hyphens.
    constexpr std::string_view dash = "\u2014";
    bool line_start = true;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (line_start && text.compare(i, dash.size(), dash) == 0) {
            scene += "--";
            i += dash.size() - 1;
            line_start = false;
            continue;
        }
        line_start = text[i] == '\n' || (line_start && (text[i] == ' ' || text[i] == '\t'));
        scene += text[i];
    }
    return scene;
}

}  // namespace pliant::script
