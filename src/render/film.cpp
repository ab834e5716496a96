#include "pliant/render/film.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/render/film_kernels.hpp"
#include "pliant/solve/kernel_level.hpp"

namespace pliant {

namespace {

/// A variance from a few samples is itself noise (all of them may have missed the light): mean over 5 × 5 pixels.
void blur_variance(std::vector<float>& variance, int w, int h, Threads& threads) {
    std::vector<float> rows(variance.size());
    parallel_for(threads, std::size_t(h), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t y = begin; y < end; ++y) {
            const float* from = &variance[y * std::size_t(w)];
            float* to = &rows[y * std::size_t(w)];
            for (int x = 2; x < w - 2; ++x) to[x] = from[x - 2] + from[x - 1] + from[x] + from[x + 1] + from[x + 2];
            for (int x : {0, 1, w - 2, w - 1}) {
                to[x] = 0;
                for (int d = -2; d <= 2; ++d) to[x] += from[std::clamp(x + d, 0, w - 1)];
            }
        }
    });
    parallel_for(threads, std::size_t(h), 8, [&](std::size_t begin, std::size_t end) {
        for (int y = int(begin); y < int(end); ++y) {
            const float* from[5];
            for (int d = -2; d <= 2; ++d) from[d + 2] = &rows[std::size_t(std::clamp(y + d, 0, h - 1)) * w];
            float* to = &variance[std::size_t(y) * w];
            for (int x = 0; x < w; ++x) to[x] = (from[0][x] + from[1][x] + from[2][x] + from[3][x] + from[4][x]) / 25;
        }
    });
}

}  // namespace

void smooth(Film& film, int passes, float pixel_angle, const Vec3f& eye, Threads& threads) {
    if (passes <= 0) return;
    const int w = film.width, h = film.height;
    const std::size_t n = film.pixels.size();
    // Six planes that change from pass to pass, twice, and seven that say whether two pixels see one surface.
    std::vector<float> from[6], to[6], guide[7];
    for (auto* planes : {&from, &to})
        for (std::vector<float>& plane : *planes) plane.resize(n);
    for (std::vector<float>& plane : guide) plane.resize(n);
    parallel_for(threads, n, 16384, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const FilmPixel& p = film.pixels[i];
            for (int k = 0; k < 3; ++k)
                from[k][i] = p.light[k], guide[k][i] = p.normal[k], guide[3 + k][i] = p.position[k];
            from[3][i] = p.openness, from[4][i] = p.variance, from[5][i] = luminance(p.light);
            guide[6][i] = p.covered > 0 ? pixel_angle * (p.position - eye).norm() : 0.0f;
        }
    });
    blur_variance(from[4], w, h, threads);

    const FilmKernels& kernels = film_kernels();
    for (int pass = 0; pass < passes; ++pass) {
        const FilmPlanes planes{{from[0].data(), from[1].data(), from[2].data(), from[3].data()},
                                from[4].data(),
                                from[5].data(),
                                {guide[0].data(), guide[1].data(), guide[2].data()},
                                {guide[3].data(), guide[4].data(), guide[5].data()},
                                guide[6].data(),
                                {to[0].data(), to[1].data(), to[2].data(), to[3].data()},
                                to[4].data(),
                                to[5].data(),
                                w,
                                h};
        parallel_for(threads, std::size_t(h), 8, [&](std::size_t begin, std::size_t end) {
            std::vector<float> scratch(7 * std::size_t(w));
            for (int y = int(begin); y < int(end); ++y) kernels.smooth_row(planes, 1 << pass, y, scratch.data());
        });
        for (int k = 0; k < 6; ++k) std::swap(from[k], to[k]);
    }
    parallel_for(threads, n, 16384, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            FilmPixel& p = film.pixels[i];
            p.light = Vec3f(from[0][i], from[1][i], from[2][i]);
            p.openness = from[3][i], p.variance = from[4][i];
        }
    });
}

namespace v2 {
extern const FilmKernels film_table;
}
namespace v3 {
extern const FilmKernels film_table;
}
namespace v4 {
extern const FilmKernels film_table;
}

const FilmKernels& film_kernels() {
    switch (best_kernel_level()) {
        case KernelLevel::v2: break;
        case KernelLevel::v3: return v3::film_table;
        case KernelLevel::v4: return v4::film_table;
    }
    return v2::film_table;
}

}  // namespace pliant
