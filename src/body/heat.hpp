#pragma once
// Heat in a body: conduction, cooling through the skin, hot spots, and material numbers that follow.
//
// Temperatures live on the nodes, with the same linear functions as the displacement; an element has the mean of its
// four. So a split node takes its temperature along, and heat stops at a crack by itself. The heat equation is solved
// on the rest shape by backward Euler, which is stable for any step:
//
//     (C/dt + K + H + G) T = C/dt T₀ + H T_air + G T_source
//
// C: heat capacity of the nodes (lumped), K: conduction, H: cooling of the skin, G: exchange with hot spots.

#include <span>
#include <vector>

#include "pliant/core/threads.hpp"
#include "pliant/fem/solid.hpp"
#include "pliant/material/heat_table.hpp"
#include "pliant/material/plasticity.hpp"

namespace pliant {

/// A hot (or cold) ball at one moment.
struct HotSpot {
    Vec3 at = Vec3::Zero();   ///< m
    double radius = 0.1;      ///< m
    double temperature = 80;  ///< what it is heated up to at most
    double power = 100;       ///< W when the body is at air temperature and fills the ball; less as it warms up
};

/// Conduction in a mesh of given materials.
class HeatFlow {
public:
    /// skin_area: what cools, m²; it is shared among the nodes of the mesh's boundary.
    HeatFlow(const TetMesh& mesh, std::span<const ElementMaterial> material, double skin_area,
             const HeatNumbers& numbers);

    /// Temperatures of the nodes after dt seconds. x: where the nodes are, for the hot spots.
    void advance(std::span<const double> before, std::span<const Vec3> x, std::span<const HotSpot> spots, double dt,
                 std::span<double> after, Threads& threads);

    /// Heat content above the air temperature, J.
    double energy(std::span<const double> temperature) const;
    const HeatNumbers& numbers() const { return numbers_; }
    int iterations() const { return iterations_; }  ///< of conjugate gradients in the last step

private:
    HeatNumbers numbers_;
    std::vector<int> begin_, column_;  // sparse rows of K, W/K
    std::vector<double> conduction_, diagonal_;
    std::vector<double> capacity_, cooling_, volume_;  // per node: J/K, W/K, m³
    double spacing_ = 0;                               // mean edge of the tets, m
    std::vector<double> extra_, rhs_, r_, z_, p_, q_;  // scratch of a step
    int iterations_ = 0;
};

/// What a warm body has beside its temperatures.
struct Heat {
    HeatFlow flow;
    HeatTable table;
    double young = 0;                ///< that the table's numbers stand against, Pa: softer regions stay softer
    std::vector<double> base_young;  ///< per tet, without heat
    std::vector<PlasticNumbers> base_plastic;
};

struct FemBody;

/// Mean of the four nodes.
double element_temperature(std::span<const double> temperature, const Tet& tet);

/// Fills body.temperature_next and sets the material to it. A body without heat is left alone.
void conduct_heat(FemBody& body, std::span<const HotSpot> spots, double dt, Threads& threads);

/// Sets Young's modulus and the plastic numbers that belong to these temperatures. They are functions of the
/// temperature alone (Young's modulus in steps of one per cent, so that the stiffness is set anew only now and then).
void set_material_at(FemBody& body, std::span<const double> temperature);

/// Young's modulus before the step over the one that set_material_at() gave it, below 1 where it sets.
double softness_before(const FemBody& body, int tet);

}  // namespace pliant
