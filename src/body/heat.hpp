#pragma once
// Heat in a body: conduction, cooling through the skin, hot spots, and material numbers that follow.
//
// Temperatures live on the nodes, with the same linear functions as the displacement; an element has the mean of its
// four. So a split node takes its temperature along, and heat stops at a crack by itself. The heat equation is solved
// on the rest shape by backward Euler, which is stable for any step:
//
//     (C/dt + K + H + G) T = C/dt T₀ + H T_air + G T_source
//
// C: heat capacity of the nodes (lumped), K: conduction, H: cooling of the skin, G: exchange with hot spots. The same
// for bodies of all kinds; body/warm_bodies.hpp has what heat does to each.

#include <span>
#include <vector>

#include "pliant/core/threads.hpp"
#include "pliant/material/heat_table.hpp"
#include "pliant/mesh/tet_mesh.hpp"
#include "pliant/mesh/tri_mesh.hpp"

namespace pliant {

/// A hot (or cold) ball at one moment.
struct HotSpot {
    Vec3 at = Vec3::Zero();   ///< m
    double radius = 0.1;      ///< m
    double temperature = 80;  ///< what it is heated up to at most
    double power = 100;       ///< W when the body is at air temperature and fills the ball; less as it warms up
};

/// Conduction in a mesh.
class HeatFlow {
public:
    /// density: per tet, kg/m³. skin_area: what cools, m²; it is shared among the nodes of the mesh's boundary. share:
    /// per tet, which part of it is material; empty: all.
    HeatFlow(const TetMesh& mesh, std::span<const double> density, double skin_area, const HeatNumbers& numbers,
             std::span<const double> share = {});

    /// Temperatures of the nodes after dt seconds. x: where the nodes are, for the hot spots.
    void advance(std::span<const double> before, std::span<const Vec3> x, std::span<const HotSpot> spots, double dt,
                 std::span<double> after, Threads& threads);

    /// Watts with which a spot of this radius (m) goes most of the way to a temperature in so many seconds, conduction
    /// left out.
    double power_to_warm(double radius, double temperature, double seconds) const;

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
    double reach(double radius) const;                 // of a spot: one smaller than the elements warms those around it
    std::vector<double> extra_, rhs_, r_, z_, p_, q_;  // scratch of a step
    int iterations_ = 0;
};

struct HeatDesc {
    HeatNumbers numbers;
    HeatTable table;   ///< no rows: the temperature changes nothing
    double young = 0;  ///< that the table's Young's moduli stand against, Pa; 0: the first element's
};

/// What a warm body has beside its temperatures.
struct Heat {
    HeatFlow flow;
    HeatTable table;
    double young = 0;  ///< that the table's numbers stand against, Pa: softer regions stay softer

    /// Young's modulus at a temperature over the one without heat.
    double softness(double temperature) const;
    /// In steps of one per cent, so that a stiffness that is dear to set is set anew only now and then.
    double stepped_softness(double temperature) const;
};

/// Mean of the four nodes.
double element_temperature(std::span<const double> temperature, const Tet& tet);

/// The area that cools, at rest: the seen surface, crack faces included, m².
double surface_area(const TriMesh& surface);

}  // namespace pliant
