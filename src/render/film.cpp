#include "pliant/render/film.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

namespace {

/// The parts that change from pass to pass.
struct Noisy {
    Vec3f light;
    float openness;
    float variance;
};

}  // namespace

void smooth(Film& film, int passes, float pixel_angle, const Vec3f& eye, Threads& threads) {
    const int w = film.width, h = film.height;
    std::vector<Noisy> from(film.pixels.size()), to(film.pixels.size());
    for (std::size_t i = 0; i < from.size(); ++i)
        from[i] = {film.pixels[i].light, film.pixels[i].openness, film.pixels[i].variance};

    constexpr float tap[3] = {0.375f, 0.25f, 0.0625f};  // B3 spline
    for (int pass = 0; pass < passes; ++pass) {
        const int step = 1 << pass;
        parallel_for(threads, std::size_t(h), 4, [&](std::size_t begin, std::size_t end) {
            for (int y = int(begin); y < int(end); ++y)
                for (int x = 0; x < w; ++x) {
                    const std::size_t i = std::size_t(y) * w + x;
                    const FilmPixel& p = film.pixels[i];
                    if (p.covered == 0) {
                        to[i] = from[i];
                        continue;
                    }
                    const float centre = luminance(from[i].light);
                    // A variance from a few samples is itself noise: its neighbours have a say.
                    float variance = 0, variance_weight = 0;
                    for (int dy = -1; dy <= 1; ++dy)
                        for (int dx = -1; dx <= 1; ++dx) {
                            const int qx = x + dx, qy = y + dy;
                            if (qx < 0 || qy < 0 || qx >= w || qy >= h) continue;
                            const float k = tap[std::abs(dx)] * tap[std::abs(dy)];
                            variance += k * from[std::size_t(qy) * w + qx].variance, variance_weight += k;
                        }
                    const float noise = 1 / (3.0f * std::sqrt(variance / variance_weight) + 1e-3f);
                    const float footprint = pixel_angle * (p.position - eye).norm() * float(step);
                    Vec3f light = Vec3f::Zero();
                    float openness = 0, sum = 0, sum_variance = 0;
                    for (int dy = -2; dy <= 2; ++dy) {
                        const int qy = y + dy * step;
                        if (qy < 0 || qy >= h) continue;
                        for (int dx = -2; dx <= 2; ++dx) {
                            const int qx = x + dx * step;
                            if (qx < 0 || qx >= w) continue;
                            const std::size_t j = std::size_t(qy) * w + qx;
                            const FilmPixel& q = film.pixels[j];
                            if (q.covered == 0) continue;
                            float weight = tap[std::abs(dx)] * tap[std::abs(dy)];
                            if (j != i) {
                                const float facing = p.normal.dot(q.normal);
                                if (facing < 0.8f) continue;
                                // Off the tangent plane by more than a pixel's width: another surface.
                                const float off = std::abs(p.normal.dot(q.position - p.position)) / footprint;
                                const float differs = std::abs(luminance(from[j].light) - centre) * noise;
                                weight *= std::exp(-0.7f * off - differs - 24 * (1 - facing));
                            }
                            light += weight * from[j].light;
                            openness += weight * from[j].openness;
                            sum_variance += weight * weight * from[j].variance;
                            sum += weight;
                        }
                    }
                    to[i] = {light / sum, openness / sum, sum_variance / (sum * sum)};
                }
        });
        std::swap(from, to);
    }
    for (std::size_t i = 0; i < from.size(); ++i)
        film.pixels[i].light = from[i].light, film.pixels[i].openness = from[i].openness,
        film.pixels[i].variance = from[i].variance;
}

}  // namespace pliant
