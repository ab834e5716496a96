#include "pliant/world/cutting.hpp"

#include <algorithm>

#include "pliant/body/cutting.hpp"
#include "pliant/core/text.hpp"
#include "pliant/world/edit_mesh.hpp"
#include "pliant/world/ledger.hpp"

namespace pliant {

namespace {

CutSheet level_set_sheet(const CutStroke& stroke, const FemBody& body, double unit) {
    std::vector<double> distance;
    for (const Vec3& p : body.x) distance.push_back(stroke.distance(p));
    // Inside is negative: that is what is carved away.
    return {.value = {whole_numbers(distance, unit)}, .patches = {{.function = 0, .carves = stroke.carves}}};
}

/// The sheet as far as it is cut by now.
CutSheet sheet_now(CutStroke& stroke, const FemBody& body, double time) {
    if (stroke.stage == CutStroke::Stage::waiting) {
        stroke.start = time;
        stroke.unit = cut_unit(body.mesh, body.x);
    }
    if (stroke.distance) return level_set_sheet(stroke, body, stroke.unit);
    if (stroke.duration == 0 || stroke.sheet.path.empty()) return sheet_on(stroke.sheet, body.x, stroke.unit);
    if (stroke.stage == CutStroke::Stage::waiting) stroke.value = sheet_on(stroke.sheet, body.x, stroke.unit).value;
    const double gone = (time - stroke.start) / stroke.duration;
    if (gone >= 1) return {.value = stroke.value, .patches = patches_on(stroke.sheet, stroke.unit)};
    return sheet_so_far(stroke.sheet, stroke.value, gone * length_of(stroke.sheet.path), body.x, stroke.unit);
}

std::string corner(const Vec3& p) {
    return "{" + short_number(p.x()) + ", " + short_number(p.y()) + ", " + short_number(p.z()) + "}";
}

/// A knife that went past its body, or through a cut that was there, is allowed but hardly meant.
void warn_of_nothing_cut(World& w, const CutStroke& stroke, const FemBody& body) {
    w.warnings.once("nothing cut", stroke.body, [&]() -> Warning {
        const Box box = bounds(body);
        return {"a cut that ended at t = " + short_number(w.time) + " s parted nothing of '" + body.name + "'",
                "Lead it through the body, which is then between " + corner(box.min) + " and " + corner(box.max)};
    });
}

void carry_out(World& w, CutStroke& stroke) {
    StageTimer timer(w.times, "cutting");
    FemBody& body = w.fem[stroke.body];
    const CutPlan plan = propose_cut(body, sheet_now(stroke, body, w.time), *w.threads);
    const bool at_once = stroke.distance || stroke.duration == 0 || stroke.sheet.path.empty();
    stroke.stage =
        at_once || w.time - stroke.start >= stroke.duration ? CutStroke::Stage::done : CutStroke::Stage::cutting;
    if (stroke.stage == CutStroke::Stage::done) stroke.value.clear();
    stroke.elements += plan.elements;
    if (stroke.stage == CutStroke::Stage::done && stroke.elements == 0) warn_of_nothing_cut(w, stroke, body);
    if (plan.empty()) return;
    if (plan.edit.removed_tets.size() == body.mesh.tets.size() && plan.edit.new_tets.empty())
        throw UserError(
            "a cut takes away all that there is of '" + body.name + "' at t = " + short_number(w.time) + " s",
            stroke.where, "Make what it takes away smaller, or leave the body out");
    accept_cut(body, plan);
    if (plan.edit.empty()) return;
    const double kinetic = kinetic_energy(body);
    edit_mesh(w, stroke.body, plan.edit);
    count_edit(w, stroke.body, kinetic);
    const Vec3 place = stroke.sheet.planes.empty() ? center_of_mass(body) : stroke.sheet.planes.front().point;
    w.events.push_back({"cut", body.name, w.time, place, 0});
}

}  // namespace

void save_state(const CutStroke& stroke, ByteWriter& out) {
    out.value(stroke.stage);
    out.value(stroke.start);
    out.value(stroke.unit);
    out.value(stroke.elements);
    out.value(static_cast<std::uint64_t>(stroke.value.size()));
    for (const auto& value : stroke.value) out.vector(value);
}

void load_state(CutStroke& stroke, ByteReader& in) {
    in.value(stroke.stage);
    in.value(stroke.start);
    in.value(stroke.unit);
    in.value(stroke.elements);
    stroke.value.resize(in.count(sizeof(std::uint64_t)));
    for (auto& value : stroke.value) in.vector(value);
}

void make_cuts(World& w) {
    const double hair = 1e-9 * w.dt;  // clocks add up
    for (CutStroke& stroke : w.strokes) {
        if (stroke.stage == CutStroke::Stage::done || w.time < stroke.at - hair) continue;
        if (stroke.stage == CutStroke::Stage::waiting && stroke.when && !stroke.when(w.time)) continue;
        carry_out(w, stroke);
    }
}

}  // namespace pliant
