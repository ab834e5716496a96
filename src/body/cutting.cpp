#include "pliant/body/cutting.hpp"

#include "pliant/body/fem_body.hpp"

namespace pliant {

CutSurface& cut_surface(FemBody& body) {
    CHECK(body.cutting, body.name);
    return static_cast<CutSurface&>(*body.seen);
}

const CutSurface& cut_surface(const FemBody& body) {
    CHECK(body.cutting, body.name);
    return static_cast<const CutSurface&>(*body.seen);
}

CutPlan propose_cut(const FemBody& body, const CutSheet& sheet, Threads& threads) {
    return plan_cut(body.mesh, cut_surface(body), sheet, body.cutting->rules, threads);
}

void accept_cut(FemBody& body, const CutPlan& plan) { cut_surface(body).set_contents(plan.changed, plan.added); }

}  // namespace pliant
