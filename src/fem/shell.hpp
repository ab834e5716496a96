#pragma once
// The elastic shell: triangles with a thickness, rows of the common block system like a solid's nodes.
//
// Stretch (docs/shells.md): Green's strain is averaged over the two triangles of an edge (edge-based smoothing, Liu et
// al. 2009), so that a triangle's constant strain does not make the shell too stiff in its plane; the law is that of
// solids under plane stress. Bending: `smooth` takes the second fundamental form of each triangle from slopes across
// its edges, which quadratic surfaces give exactly on any mesh; `hinge` takes the angle at each edge (Bridson et al.
// 2003, Grinspun et al. 2003), which is cheap but depends on how edges lie.

#include <functional>
#include <span>
#include <vector>

#include "pliant/core/threads.hpp"
#include "pliant/core/timer.hpp"
#include "pliant/fem/shell_stencils.hpp"
#include "pliant/fem/solid.hpp"
#include "pliant/material/hooke.hpp"
#include "pliant/solve/block_system.hpp"

namespace pliant {

enum class Bending { smooth, hinge, none };

struct ShellOptions {
    const MaterialLaw* law = nullptr;      ///< null: the default, corotational; isotropic
    std::vector<double> law_numbers = {};  ///< of its own keys; empty: its defaults
    Bending bending = Bending::smooth;
    double thickness = 1e-3;       ///< m
    double bending_stiffness = 0;  ///< D, N·m; 0: from modulus and thickness, E t³ / 12 (1 − ν²)
    double mass_damping = 0;       ///< Rayleigh α, 1/s
    double stiffness_damping = 0;  ///< Rayleigh β, s
    /// Edges at the rim with both ends in here keep the direction that the sheet has across them: walls and planes of
    /// symmetry. Places at rest; empty: none. Bending is `smooth`.
    std::function<bool(const Vec3&)> clamped = {};
};

/// Lasting bends: a hinge, or a slope across an edge of a triangle, whose elastic part exceeds `yield` gives way.
struct ShellCreases {
    double yield = 0;  ///< curvature times half the thickness: the strain at the face of the sheet, 1
    double max = 0;    ///< largest lasting one, likewise
};

struct ShellInput {
    double dt = 0.01;                  ///< s
    std::span<const Vec3> force;       ///< external, per node, N
    std::span<const char> prescribed;  ///< per node: its velocity is given, in `v`
    SolveOptions solve = {};
    /// x is where v leads to, not where the step starts: an iteration of Newton's method.
    bool at_end = false;
};

class Shell {
public:
    /// `material`: per triangle. Triangles have areas above zero, and no edge has more than two.
    Shell(std::vector<Vec3> rest, std::vector<Tri> triangles, std::vector<ElementMaterial> material,
          ShellOptions options);

    std::span<const double> mass() const { return mass_; }  ///< lumped, kg per node
    const ShellOptions& options() const { return options_; }
    std::span<const Tri> triangles() const { return triangles_; }
    std::span<const ShellEdge> edges() const { return edges_; }
    double area(int triangle) const;  ///< at rest, m²

    double energy(std::span<const Vec3> x) const;                                 ///< elastic, J
    void forces(std::span<const Vec3> x, std::span<Vec3> out, Threads& threads);  ///< −∂energy/∂x, N

    /// Forces and the system matrix M(1 + dt α) + dt (dt + β) K at (x, v), K positive semidefinite. `v` holds the
    /// prescribed velocities already. May be called again within a step to linearise elsewhere. Nothing is allocated
    /// after the first call.
    void assemble(std::span<const Vec3> x, std::span<const Vec3> v, const ShellInput& input, Threads& threads,
                  StageTimes& times);
    BlockSystem& system() { return system_; }
    const BlockSystem& system() const { return system_; }

    void set_material(std::vector<ElementMaterial> material);
    const std::vector<ElementMaterial>& material() const { return material_; }
    void set_damping(double mass_damping, double stiffness_damping);

    /// Von Mises' stress of a triangle's middle surface, Pa, and the largest strain of bending at its faces, 1.
    double membrane_stress(std::span<const Vec3> x, int triangle) const;
    double bending_strain(std::span<const Vec3> x, int triangle) const;

    /// Bends that last, in the unit of what bends: an angle per hinge, or three slopes per triangle (1/m). State.
    std::vector<double>& lasting() { return lasting_; }
    const std::vector<double>& lasting() const { return lasting_; }
    /// Lets what is bent at x beyond the yield strain stay so.
    void crease(std::span<const Vec3> x, const ShellCreases& creases, Threads& threads);

private:
    void set_elements();
    void set_rows();
    void edge_element(std::span<const Vec3> x, int e, bool with_tangent);
    void bend_element(std::span<const Vec3> x, int t, bool with_tangent);
    void elements(std::span<const Vec3> x, bool with_tangent, Threads& threads);
    Vec3 gathered_force(int node) const;
    void write_row(int row, double scale);
    double hinge_rest_angle(std::size_t e) const { return angle_[e] + (lasting_.empty() ? 0 : lasting_[e]); }

    ShellOptions options_;
    const MaterialLaw* law_;
    std::vector<double> law_numbers_;
    std::vector<Vec3> rest_;
    std::vector<Tri> triangles_;
    std::vector<ElementMaterial> material_;
    std::vector<double> mass_;
    std::vector<ShellEdge> edges_;
    std::vector<Lame> edge_lame_;         // mean of the edge's triangles, Pa
    std::vector<double> edge_stiffness_;  // of a hinge: energy per squared angle, J
    std::vector<double> angle_;           // of hinges at rest
    std::vector<ShellBend> bends_;
    std::vector<double> bend_stiffness_;        // D (1 − ν²) per triangle, N·m
    std::vector<std::array<double, 3>> slope_;  // at rest, 1/m
    std::vector<double> lasting_;

    // What elements leave for the rows. Modes are square roots of the tangent: its blocks are Σ_m mode_a mode_bᵀ.
    static constexpr int edge_modes = 4, bend_modes = 3;
    /// Place of a pair of an edge's corners among its six.
    static constexpr int pair_of[4][4] = {{-1, 0, 1, 2}, {0, -1, 3, 4}, {1, 3, -1, 5}, {2, 4, 5, -1}};
    std::vector<Vec3> edge_force_;         // [edge][4], N
    std::vector<Vec3> edge_mode_;          // [edge][4][edge_modes]
    std::vector<double> edge_tension_;     // [edge][6]: what tension adds to the blocks of a pair, times 1
    std::vector<std::size_t> bend_begin_;  // first node of a triangle among the nodes of all
    std::vector<Vec3> bend_force_;         // [node of triangle], N
    std::vector<Vec3> bend_mode_;          // [node of triangle][bend_modes]

    // Who gathers from whom, by rows of the system.
    std::vector<unsigned> force_begin_;  // per row, into force_from_
    std::vector<unsigned> force_from_;   // 4·edge + corner, or past all of those: node of a triangle
    std::vector<unsigned> pair_begin_;   // per row and neighbour, into pair_from_
    std::vector<unsigned> row_pairs_;    // per row: its first neighbour in pair_begin_
    struct Pair {
        unsigned a, b;  // as in force_from_, of the row and of the neighbour
    };
    std::vector<Pair> pair_from_;
    std::vector<Vec3> part_origin_;  // scratch: a node of each piece
    BlockSystem system_;
    double stiffness_per_mass_ = 0, spacing_ = 0, diameter_ = 0;
};

}  // namespace pliant
