// Hooke's law with Cauchy's strain: ε = sym(F) − I (Müller & Gross 2004, eqs. 2 and 3).

#include "pliant/material/laws.hpp"

namespace pliant {

namespace {

class Linear final : public Material {
public:
    explicit Linear(const Lame& lame) : lame_(lame) {}

    double energy(const Mat3& F) const override {
        const Mat3 e = strain(F);
        return 0.5 * lame_.lambda * e.trace() * e.trace() + lame_.mu * e.squaredNorm();
    }
    Mat3 stress(const Mat3& F) const override {
        const Mat3 e = strain(F);
        return lame_.lambda * e.trace() * Mat3::Identity() + 2 * lame_.mu * e;
    }
    Tangent tangent(const Mat3&) const override {
        Tangent K = Tangent::Zero();
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                K(i + 3 * i, j + 3 * j) += lame_.lambda;
                K(i + 3 * j, i + 3 * j) += lame_.mu;
                K(i + 3 * j, j + 3 * i) += lame_.mu;
            }
        return K;
    }

private:
    static Mat3 strain(const Mat3& F) { return 0.5 * (F + F.transpose()) - Mat3::Identity(); }
    Lame lame_;
};

}  // namespace

std::unique_ptr<Material> make_linear(const Lame& lame) { return std::make_unique<Linear>(lame); }

}  // namespace pliant
