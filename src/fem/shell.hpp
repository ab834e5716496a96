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
#include "pliant/fem/shell_kernels.hpp"
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

    double energy(std::span<const Vec3> x) const;              ///< elastic, J; plain code, to compare the kernels with
    double energy(std::span<const Vec3> x, Threads& threads);  ///< the same by the kernels
    void forces(std::span<const Vec3> x, std::span<Vec3> out, Threads& threads);  ///< −∂energy/∂x, N
    /// J, at the x of the last energy(), forces() or assemble(), by the kernels.
    double last_energy() const;
    /// v·K v with the matrix of the last assemble(), W per second of stiffness damping.
    double rate(std::span<const Vec3> v) const;
    double stiffness() const;  ///< Σ (λ + 2μ) V, J: what a strain of one would cost

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

    void set_kernel_level(KernelLevel level) { kernels_ = level; }

private:
    /// Stencils of one size, in groups of eight as the kernels want them (shell_kernels.hpp).
    struct BendGroups {
        int nodes = 0, first = 0, count = 0;  ///< nodes of a stencil; which of the bends
        int first_group = 0;                  ///< among the groups of both sizes
        AlignedVector<int> node;
        AlignedVector<double> weight, kept, coupling, slope, floor;
        int groups() const { return (count + 7) / 8; }
    };
    void set_elements();
    void set_stiffness();
    void set_rows();
    void hinges(std::size_t begin, std::size_t end);
    void elements(std::span<const Vec3> x, bool with_tangent, Threads& threads);
    ShellRowArgs row_args();
    std::size_t share_at(const BendGroups& g, int element, int j) const;
    std::size_t pair_at(const BendGroups& g, int element, int j, int k) const;
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

    // Elements in groups of eight, and what they leave for the rows (shell_kernels.hpp).
    KernelLevel kernels_ = best_kernel_level();
    AlignedVector<double> place_;  // [node][4] m
    AlignedVector<int> edge_node_;
    AlignedVector<double> edge_shape_, edge_moduli_, hinge_force_, hinge_mode_;
    std::array<BendGroups, 2> groups_;  // of triangles, of edges
    AlignedVector<double> force_;       // of edges' corners, then of the corners that normals depend on
    AlignedVector<double> normal_, share_, element_energy_, hinge_energy_;
    AlignedVector<double> edge_block_, square_, pair_;

    // Who gathers from whom.
    std::vector<ShellPair> pairs_;     // one more than there are pairs of nodes, see ShellRowArgs
    std::vector<ShellAlong> along_;    // for the blocks
    std::vector<unsigned> from_edge_;  // likewise
    std::vector<unsigned> force_end_, force_from_, share_end_;  // for the rows
    std::vector<ShellAlong> share_from_;
    AlignedVector<double> velocity_;  // [row][4] m/s
    double scale_ = 0;                // dt (dt + β) of the last assemble(), s²
    std::vector<Vec3> part_origin_;   // scratch: a node of each piece
    BlockSystem system_;
    double stiffness_per_mass_ = 0, spacing_ = 0, diameter_ = 0;
};

}  // namespace pliant
