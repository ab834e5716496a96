#include "pliant/world/stress_field.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {
namespace {

// A bar stretched by a share e along its axis with free sides has the stress E·e there and none else; turned by a
// quarter about z, that is the yy component.
TEST(StressField, OfATurnedBarIsThatOfTheFormula) {
    const double stiff = 1e5, slim = 0.3, e = 1e-3;
    for (double angle : {0.0, M_PI / 2, 0.7}) {
        World w(2);
        FemBodyDesc desc;
        desc.name = "bar";
        desc.mesh = bar_mesh(4, 2, 2, Vec3(0, 0, 0), Vec3(2, 1, 1));
        desc.material = {{stiff, slim, 1000}};
        add_body(w, make_fem_body(std::move(desc), *w.threads));
        const Quat turn(Eigen::AngleAxisd(angle, Vec3::UnitZ()));
        for (std::size_t i = 0; i < w.fem[0].x.size(); ++i) {
            const Vec3& p = w.fem[0].mesh.rest[i];
            w.fem[0].x[i] = turn * Vec3((1 + e) * p.x(), (1 - slim * e) * p.y(), (1 - slim * e) * p.z());
        }
        Frame frame = snapshot(w, 0);
        add_stress_fields(w, frame);
        const Field& stress = frame.bodies[0].fields.back();
        ASSERT_EQ(stress.name, "stress");
        ASSERT_EQ(stress.values.size(), 6 * w.fem[0].mesh.tets.size());
        const double c = std::cos(angle), s = std::sin(angle), load = stiff * e;
        const double expected[6] = {load * c * c, load * s * s, 0, load * c * s, 0, 0};
        double error = 0;
        for (std::size_t i = 0; i < stress.values.size(); ++i)
            error = std::max(error, std::abs(stress.values[i] - expected[i % 6]) / load);
        std::cout << "angle " << angle << ": relative error " << error << "\n";
        EXPECT_LT(error, 1e-5);  // the field is in floats
    }
}

}  // namespace
}  // namespace pliant
