// Plastic flow of whole bodies, eight tets at a time, against the law called for each.

#include "pliant/body/plastic_flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "pliant/core/rng.hpp"
#include "pliant/fem/solid_parts.hpp"
#include "pliant/mesh/bar_mesh.hpp"

namespace pliant {
namespace {

FemBody strained_bar(const PlasticityLaw& law, bool same_numbers) {
    FemBodyDesc desc;
    desc.mesh = bar_mesh(5, 3, 3, {0, 0, 0}, {2.5, 1.5, 1.5});  // 270 tets: the last eight are not full
    Rng rng(5);
    if (same_numbers) desc.plastic = {{.yield = 0.3, .rate = 50, .max = 10}};
    for (std::size_t t = 0; !same_numbers && t < desc.mesh.tets.size(); ++t)
        desc.plastic.push_back({.yield = std::pow(10, rng.uniform(-3, -0.5)),
                                .rate = t % 7 == 3 ? 0 : std::pow(10, rng.uniform(-1, 4)),
                                .max = std::pow(10, rng.uniform(-1.5, 1)),
                                .keep_volume = t % 5 == 2});
    desc.plasticity = &law;
    FemBody body = make_fem_body(std::move(desc));
    for (Vec3& x : body.x) x += 0.06 * Vec3(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1));
    for (std::size_t t = 0; t < body.plastic_strain.size(); ++t)
        for (double& p : body.plastic_strain[t]) p = rng.uniform(-1, 1) * std::min(0.1, 0.2 * body.plastic[t].max);
    return body;
}

TEST(PlasticFlow, OfEightTetsAtATimeIsTheLaw) {
    for (KernelLevel level : {KernelLevel::v2, KernelLevel::v3, KernelLevel::v4})
        for (const PlasticityLaw& law : plasticity_laws().entries())
            for (bool same_numbers : {false, true}) {
                if (!kernel_level_available(level) || !law.flow) continue;
                FemBody body = strained_bar(law, same_numbers);
                set_kernel_level(body.solid, level);
                Threads threads(1);
                StageTimes times;
                double worst = 0;
                int flowed = 0, limited = 0;
                for (double dt : {0.01, 0.003, 0.003}) {
                    const std::vector<Strain6> before = body.plastic_strain;
                    std::vector<Strain6> expected = before;
                    for (int t = 0; t < body.mesh.tet_count(); ++t)
                        if (body.plastic[t].rate > 0) law.flow(body.plastic[t], total_strain(body, t), dt, expected[t]);
                    begin_step(body, dt, threads, times);
                    for (int t = 0; t < body.mesh.tet_count(); ++t) {
                        flowed += expected[t] != before[t];
                        limited += strain_norm(expected[t]) > 0.999999 * body.plastic[t].max;
                        for (int k = 0; k < 6; ++k)
                            worst = std::max(worst, std::abs(body.plastic_strain[t][k] - expected[t][k]));
                    }
                    for (Vec3& x : body.x) x.x() *= 1.02;
                }
                std::cout << "x86-64-v" << 2 + int(level) << ", " << law.name << ": " << flowed << " flowed, "
                          << limited << " reached their limit, largest difference " << worst << "\n";
                EXPECT_GT(flowed, 100);
                EXPECT_LT(flowed, 3 * body.mesh.tet_count());
                EXPECT_TRUE(limited > 10 || same_numbers) << limited;
                EXPECT_LT(worst, 1e-13);
            }
}

}  // namespace
}  // namespace pliant
