#pragma once
// Bodies that keep their volume (Everts 2006, chapter 3): after an unconstrained step, positions and velocities are
// corrected along the gradients of the constraints, weighted by 1/mass, which is what LINCS does for bond lengths.
// Needs nothing of the body but masses, tets and boundary, so that particle and FEM bodies carry it alike.

#include <array>
#include <span>
#include <vector>

#include "pliant/core/types.hpp"
#include "pliant/solve/aligned.hpp"

namespace pliant {

enum class KeepsVolume {
    total,      ///< of the whole body: one constraint (section 3.3.2)
    elements,   ///< of every tet (section 3.3.1); more constraints than a tet mesh has freedoms to spare: it locks
    particles,  ///< of the cells of the particles, a quarter of each tet at them: local, and does not lock
};

struct VolumeConstraintOptions {
    KeepsVolume kind = KeepsVolume::total;
    /// γ of eq. 3.20: part of the volume error and of the step's own change that is taken back. The expression it
    /// multiplies counts the present error three times, so 1/3 removes it in one step, above 2/3 it grows, and 0 does
    /// nothing.
    double gamma = 1.0 / 3;
    /// Newton steps on the volume after eq. 3.20, for steps so large that one linearisation is not enough.
    int newton = 0;
    /// Conjugate gradients on B M⁻¹ Bᵀ for the local kinds. Too few let elements drift, more only cost time.
    int iterations = 60;
    double tolerance = 1e-4;  ///< relative residual to stop at
};

/// A particle whose motion along one axis is given; it is free along the others.
struct AxisHold {
    int particle;
    int axis;
    double velocity;  ///< m/s
};

class VolumeConstraint {
public:
    VolumeConstraint(std::span<const Vec3> rest, std::span<const Tet> tets, std::span<const Tri> boundary,
                     const VolumeConstraintOptions& options);

    // Rows of four doubles, as the leap-frog loop has them.
    /// weight: per component something proportional to 1/mass; zero where the motion is given.
    void begin(std::span<const double> weight);
    /// Gradients B at the positions before the step.
    void linearise(std::span<const double> x);
    /// Eq. 3.20 on the positions after it, and the velocities that belong to the correction.
    void correct(std::span<double> x, std::span<double> v, double h);

    /// The same for a step of any body: from `before` the step led to x and v.
    void apply(std::span<const Vec3> before, std::span<const double> mass, std::span<const char> prescribed,
               std::span<const AxisHold> holds, double dt, std::span<Vec3> x, std::span<Vec3> v);

    double volume(std::span<const Vec3> x) const;  ///< of the whole body, m³
    double rest_volume() const { return rest_total_; }
    int iterations() const { return iterations_; }  ///< of conjugate gradients in the last correction
    const VolumeConstraintOptions& options() const { return options_; }

private:
    int constraints() const;
    void gradients(const double* x);
    void current(const double* x, std::vector<double>& out) const;  // volumes of the constraints
    void times(const double* x, std::vector<double>& out) const;    // B x
    void transposed(const std::vector<double>& lambda);             // weight·Bᵀλ → shift_
    void solve(const std::vector<double>& rhs);                     // (B W Bᵀ) λ = rhs → lambda_
    void sum_to_constraints(const std::vector<double>& per_tet, std::vector<double>& out) const;

    VolumeConstraintOptions options_;
    int particles_ = 0;
    std::vector<Tet> tets_;
    std::vector<Tri> boundary_;
    std::vector<unsigned> begin_, incident_;    // tets at each particle: 4·tet + corner
    std::vector<unsigned> face_begin_, faces_;  // boundary triangles at each particle: 3·triangle + corner
    std::vector<double> rest_;                  // of the constraints, m³
    double rest_total_ = 0;

    AlignedVector<double> B_;                       // total: [particle][4]; otherwise [tet][4 corners][4], m²
    AlignedVector<double> weight_;                  // [particle][4]
    AlignedVector<double> shift_;                   // [particle][4], m
    AlignedVector<double> before_, after_, speed_;  // of apply()
    mutable std::vector<double> per_tet_;
    std::vector<double> diagonal_, lambda_, residual_, direction_, product_, search_, value_;
    int iterations_ = 0;
};

}  // namespace pliant
