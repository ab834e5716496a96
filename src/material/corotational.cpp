// Hooke's law in the frame of the nearest rotation: energy μ‖F − R‖² + λ/2 tr²(RᵀF − I). Its nodal forces are those of
// the element-based warped stiffness (Müller & Gross 2004, eq. 7). R stays proper when F is inverted, so the energy
// pulls a mirrored element back through its flat state.

#include <cmath>

#include "pliant/geometry/polar.hpp"
#include "pliant/material/laws.hpp"

namespace pliant {

namespace {

class Corotational final : public Material {
public:
    explicit Corotational(const Lame& lame) : lame_(lame) {}

    double energy(const Mat3& F) const override {
        const SignedSvd f = signed_svd(F);
        const Vec3 e = f.s - Vec3::Ones();
        return lame_.mu * e.squaredNorm() + 0.5 * lame_.lambda * e.sum() * e.sum();
    }
    Mat3 stress(const Mat3& F) const override {
        const SignedSvd f = signed_svd(F);
        const Vec3 e = f.s - Vec3::Ones();
        return f.U * (2 * lame_.mu * e + Vec3::Constant(lame_.lambda * e.sum())).asDiagonal() * f.V.transpose();
    }
    // dP = 2μ dF + λ tr(RᵀdF) R + (λ tr(S − I) − 2μ) dR. R turns only in the three twist modes
    // U [eₖ] Vᵀ / √2, each by 2 / (sᵢ + sⱼ) of dF's share in it.
    Tangent tangent(const Mat3& F) const override {
        const SignedSvd f = signed_svd(F);
        using Vec9 = Eigen::Matrix<double, 9, 1>;
        const Mat3 R = f.U * f.V.transpose();
        const Vec9 r = Eigen::Map<const Vec9>(R.data());
        Tangent K = 2 * lame_.mu * Tangent::Identity() + lame_.lambda * r * r.transpose();
        const double pull = lame_.lambda * (f.s.sum() - 3) - 2 * lame_.mu;
        for (int k = 0; k < 3; ++k) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            const double sum = f.s[i] + f.s[j];
            // Where two singular values cancel, the rotation is not unique and has no derivative: leave it fixed.
            if (!(sum > 1e-12 * f.s[0])) continue;
            Mat3 twist = Mat3::Zero();
            twist(i, j) = -std::sqrt(0.5), twist(j, i) = std::sqrt(0.5);
            const Mat3 mode = f.U * twist * f.V.transpose();
            const Vec9 m = Eigen::Map<const Vec9>(mode.data());
            K += pull * (2 / sum) * m * m.transpose();
        }
        return K;
    }

private:
    Lame lame_;
};

}  // namespace

std::unique_ptr<Material> make_corotational(const Lame& lame) { return std::make_unique<Corotational>(lame); }

}  // namespace pliant
