#include "pliant/world/knobs.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/body/warm_bodies.hpp"
#include "pliant/fem/solid_parts.hpp"

namespace pliant {

namespace {

double mean(const std::vector<ElementMaterial>& material, double ElementMaterial::*number) {
    double sum = 0;
    for (const ElementMaterial& m : material) sum += m.*number;
    return material.empty() ? 0 : sum / static_cast<double>(material.size());
}

/// Young's modulus as the scene gave it, without what heat does to it.
double base_young(const FemBody& body) {
    if (body.cold_young.empty()) return mean(body.material, &ElementMaterial::young);
    double sum = 0;
    for (double y : body.cold_young) sum += y;
    return sum / static_cast<double>(body.cold_young.size());
}

// What bodies of several kinds have.

Knob friction_knob(const std::string& body, double value) {
    return {body, "friction", "Friction", "", "0 slides for ever, 1 hardly slides at all.", value, 0, 2, false};
}

Knob iterations_knob(const std::string& body, int value) {
    return {body,
            "iterations",
            "Solver iterations",
            "",
            "0: as many as needed. Few are fast and look soft; more follow stiff materials.",
            static_cast<double>(value),
            0,
            200,
            true};
}

void push_damping_knobs(const std::string& body, double mass_damping, double stiffness_damping,
                        std::vector<Knob>& list) {
    list.push_back({body, "mass_damping", "Drag of the air", "1/s", "Slows all motion. Large: it moves as in honey.",
                    mass_damping, 0, 20, false});
    list.push_back({body, "stiffness_damping", "Inner damping", "s",
                    "Stills vibration. Large: it moves as if made of putty.", stiffness_damping, 0, 0.1, false});
}

void push_damping_knobs(const std::string& body, const Solid& solid, std::vector<Knob>& list) {
    const SolidOptions& options = solid.parts().options;
    push_damping_knobs(body, options.mass_damping, options.stiffness_damping, list);
}

bool turn_damping(Solid& solid, const std::string& name, double value) {
    SolidOptions& options = solid.parts().options;
    if (name == "mass_damping") return options.mass_damping = value, true;
    if (name == "stiffness_damping") return options.stiffness_damping = value, true;
    return false;
}

void push_fem_knobs(const FemBody& body, std::vector<Knob>& list) {
    list.push_back({body.name, "young", "Young's modulus", "Pa",
                    "How hard it is to stretch. Soft bodies sag; stiff ones need more iterations to move freely.",
                    base_young(body), 1e3, 1e9, true});
    list.push_back({body.name, "poisson", "Poisson's ratio", "",
                    "How much it bulges when squeezed. Near 0.5 it cannot change volume and moves as if stiffer.",
                    mean(body.material, &ElementMaterial::poisson), 0, 0.48, false});
    list.push_back({body.name, "density", "Density", "kg/m³", "Heavy bodies sag more and push light ones about.",
                    mean(body.material, &ElementMaterial::density), 10, 1e4, true});
    push_damping_knobs(body.name, body.solid, list);
    list.push_back(friction_knob(body.name, body.friction));
    list.push_back(iterations_knob(body.name, body.solve.iterations));
    if (body.fracture && !body.fracture->strength.empty())
        list.push_back(
            {body.name, "strength", "Strength", "Pa", "Tension that it bears. Small: it falls apart by itself.",
             *std::max_element(body.fracture->strength.begin(), body.fracture->strength.end()), 10, 1e9, true});
    if (body.cracks)
        list.push_back(
            {body.name, "strength", "Toughness", "Pa", "Tension that its nodes bear. Small: it falls apart by itself.",
             *std::max_element(body.cracks->toughness.begin(), body.cracks->toughness.end()), 10, 1e9, true});
    if (!body.plastic.empty()) {
        const PlasticNumbers& p = body.cold_plastic.empty() ? body.plastic[0] : body.cold_plastic[0];
        if (std::isfinite(p.yield))
            list.push_back({body.name, "yield", "Yield strain", "", "Strain from which a change of shape stays.",
                            p.yield, 1e-4, 1, true});
        list.push_back({body.name, "rate", "Creep rate", "1/s", "How fast the shape gives in. Large: it flows at once.",
                        p.rate, 0.01, 1000, true});
    }
}

double mean_young(const ParticleBody& body) {
    double sum = 0;
    for (const ParticleMaterial& m : body.cold.empty() ? body.material : body.cold) sum += m.young;
    return body.material.empty() ? 0 : sum / static_cast<double>(body.material.size());
}

void push_particle_knobs(const ParticleBody& body, std::vector<Knob>& list) {
    // Leap-frog is stable while no wave crosses half an edge in one of its steps: E < ρ (l / 2h)².
    const double limit = body.implicit || body.material.empty()
                             ? 1e9
                             : body.material[0].density * std::pow(0.5 * body.spacing / body.step, 2);
    list.push_back({body.name, "young", "Young's modulus", "Pa",
                    body.implicit ? "How hard it is to stretch."
                                  : "How hard it is to stretch. Too stiff for the step: it explodes.",
                    mean_young(body), 1e3, std::max(1e3, limit), true});
    if (body.tangent) push_damping_knobs(body.name, *body.tangent, list);
    list.push_back(friction_knob(body.name, body.friction));
    if (!body.implicit)
        list.push_back({body.name, "damping", "Speed kept per step", "", "1 loses nothing, less moves as in honey.",
                        body.damping, 0.98, 1, false});
    else
        list.push_back(iterations_knob(body.name, body.solve.iterations));
}

void push_shell_knobs(const ShellBody& body, std::vector<Knob>& list) {
    list.push_back({body.name, "young", "Young's modulus", "Pa",
                    "How hard it is to stretch and to bend. Stiff sheets need more iterations.",
                    mean(body.shell.material(), &ElementMaterial::young), 1e3, 1e12, true});
    list.push_back({body.name, "density", "Density", "kg/m³", "Heavy sheets sag more.",
                    mean(body.shell.material(), &ElementMaterial::density), 10, 1e4, true});
    push_damping_knobs(body.name, body.shell.options().mass_damping, body.shell.options().stiffness_damping, list);
    list.push_back(friction_knob(body.name, body.friction));
    list.push_back(iterations_knob(body.name, body.solve.iterations));
}

void push_modal_knobs(const ModalBody& body, std::vector<Knob>& list) {
    list.push_back({body.name, "young", "Young's modulus", "Pa",
                    "How hard it is to bend. Frequencies go with its square root; soft bodies leave the small "
                    "deformations that modes are made for.",
                    body.basis.young, 1e3, 1e12, true});
    push_damping_knobs(body.name, body.basis.alpha, body.basis.beta, list);
    list.push_back(friction_knob(body.name, body.friction));
}

void push_rigid_knobs(const RigidBody& body, std::vector<Knob>& list) {
    list.push_back(friction_knob(body.name, body.friction));
    list.push_back({body.name, "restitution", "Bounce", "",
                    "Share of the speed that a bounce gives back. 1: it never comes to rest.", body.restitution, 0, 1,
                    false});
}

bool turn_particles(ParticleBody& body, const std::string& name, double value) {
    if (name == "young") {
        const double ratio = value / mean_young(body);
        for (std::vector<ParticleMaterial>* list : {&body.material, &body.cold})
            for (ParticleMaterial& m : *list) m.young *= ratio, m.shear *= ratio, m.fibre_young *= ratio;
        apply_material(body);
    } else if (name == "friction") {
        body.friction = value;
    } else if (name == "damping") {
        body.damping = value;
    } else if (name == "iterations") {
        body.solve.iterations = static_cast<int>(std::lround(value));
    } else {
        return body.tangent && turn_damping(*body.tangent, name, value);
    }
    return true;
}

bool turn_modal(ModalBody& body, const std::string& name, double value) {
    ModalBasis& basis = body.basis;
    if (name == "friction") return body.friction = value, true;
    if (name == "young") {
        for (double& lambda : basis.lambda) lambda *= value / basis.young;
        basis.young = value;
    } else if (name == "mass_damping") {
        basis.alpha = value;
    } else if (name == "stiffness_damping") {
        basis.beta = value;
    } else {
        return false;
    }
    // The state stays; what it will do is that of the changed basis.
    Oscillators changed = make_oscillators(basis);
    changed.z = std::move(body.oscillators.z), changed.v = std::move(body.oscillators.v);
    body.oscillators = std::move(changed);
    set_material_at(body, body.temperature);
    return true;
}

bool turn_rigid(RigidBody& body, const std::string& name, double value) {
    if (name == "friction") return body.friction = value, true;
    if (name == "restitution") return body.restitution = value, true;
    return false;
}

void scale(std::vector<ElementMaterial>& material, double ElementMaterial::*number, double value) {
    const double before = mean(material, number);
    for (ElementMaterial& m : material) m.*number = before > 0 ? m.*number * (value / before) : value;
}

bool turn_shell(ShellBody& body, const std::string& name, double value) {
    const ShellOptions& options = body.shell.options();
    if (name == "young" || name == "density") {
        std::vector<ElementMaterial> material = body.shell.material();
        scale(material, name == "young" ? &ElementMaterial::young : &ElementMaterial::density, value);
        body.shell.set_material(std::move(material));
    } else if (name == "mass_damping") {
        body.shell.set_damping(value, options.stiffness_damping);
    } else if (name == "stiffness_damping") {
        body.shell.set_damping(options.mass_damping, value);
    } else if (name == "friction") {
        body.friction = value;
    } else if (name == "iterations") {
        body.solve.iterations = static_cast<int>(std::lround(value));
    } else {
        return false;
    }
    return true;
}

bool turn_fem(FemBody& body, const std::string& name, double value) {
    if (name == "young") {
        const double ratio = value / base_young(body);
        for (ElementMaterial& m : body.material) m.young *= ratio;
        // The table's own numbers stand against heat.young, so a stiffer body melts at the same temperatures.
        for (double& y : body.cold_young) y *= ratio;
        body.solid.set_material(solid_material(body));
    } else if (name == "poisson") {
        for (ElementMaterial& m : body.material) m.poisson = value;
        body.solid.set_material(solid_material(body));
    } else if (name == "density") {
        scale(body.material, &ElementMaterial::density, value);
        body.solid.set_material(solid_material(body));
    } else if (name == "friction") {
        body.friction = value;
    } else if (name == "iterations") {
        body.solve.iterations = static_cast<int>(std::lround(value));
    } else if (name == "strength" && (body.fracture || body.cracks)) {
        std::vector<double>& strength = body.fracture ? body.fracture->strength : body.cracks->toughness;
        const double ratio = value / *std::max_element(strength.begin(), strength.end());
        for (double& s : strength) s *= ratio;
    } else if (name == "yield" || name == "rate") {
        double PlasticNumbers::*number = name == "yield" ? &PlasticNumbers::yield : &PlasticNumbers::rate;
        for (PlasticNumbers& p : body.plastic) p.*number = value;
        body.flow_numbers.clear();
        for (PlasticNumbers& p : body.cold_plastic) p.*number = value;
    } else {
        return turn_damping(body.solid, name, value);
    }
    return true;
}

}  // namespace

std::vector<Knob> knobs(const World& w) {
    std::vector<Knob> list;
    const double g = w.gravity.norm();
    list.push_back({"", "gravity", "Gravity", "m/s²", "The Moon has 1.6, the Earth 9.8, Jupiter 25.", g, 0,
                    std::max(30.0, 2 * g), false});
    for (const FemBody& body : w.fem) push_fem_knobs(body, list);
    for (const ParticleBody& body : w.particles) push_particle_knobs(body, list);
    for (const ShellBody& body : w.shells) push_shell_knobs(body, list);
    for (const ModalBody& body : w.modal) push_modal_knobs(body, list);
    for (const RigidBody& body : w.rigid.bodies) push_rigid_knobs(body, list);
    // What a scene was given is safe, however far out.
    for (Knob& knob : list) knob.low = std::min(knob.low, knob.value), knob.high = std::max(knob.high, knob.value);
    return list;
}

bool turn(World& w, const std::string& body, const std::string& name, double value) {
    if (!std::isfinite(value)) return false;
    for (const Knob& knob : knobs(w)) {
        if (knob.body != body || knob.name != name) continue;
        value = std::clamp(value, knob.low, knob.high);
        if (body.empty()) {
            const Vec3 down = w.gravity.norm() > 0 ? Vec3(w.gravity.normalized()) : Vec3(0, -1, 0);
            w.gravity = value * down;
            return true;
        }
        for (FemBody& fem : w.fem)
            if (fem.name == body) return turn_fem(fem, name, value);
        for (ParticleBody& particles : w.particles)
            if (particles.name == body) return turn_particles(particles, name, value);
        for (ShellBody& shell : w.shells)
            if (shell.name == body) return turn_shell(shell, name, value);
        for (ModalBody& modal : w.modal)
            if (modal.name == body) return turn_modal(modal, name, value);
        for (RigidBody& rigid : w.rigid.bodies)
            if (rigid.name == body) return turn_rigid(rigid, name, value);
    }
    return false;
}

void apply_parameter_changes(World& w, double time) {
    for (; w.changes_done < w.parameter_changes.size() && w.parameter_changes[w.changes_done].at <= time;
         ++w.changes_done) {
        const ParameterChange& next = w.parameter_changes[w.changes_done];
        turn(w, next.body, next.name, next.value);
    }
}

}  // namespace pliant
