#include "pliant/render/film.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

namespace {

using Vec4f = Eigen::Vector4f;  // what one instruction handles

/// The parts that change from pass to pass.
struct Noisy {
    Vec4f light;  // and openness
    float variance;
    float brightness;  // of the light
};

/// The parts that say whether two pixels see one surface.
struct Guide {
    Vec4f normal;  // and 0
    Vec4f place;   // and the width of the pixel on the surface; 0: only backdrop
    float footprint() const { return place[3]; }
};

Vec4f joined(const Vec3f& v, float w) { return {v[0], v[1], v[2], w}; }

/// Close to exp(−x) and much cheaper; 0 from 8 on.
float falloff(float x) {
    const float a = std::max(0.0f, 1 - x * 0.125f), a2 = a * a, a4 = a2 * a2;
    return a4 * a4;
}

/// A variance from a few samples is itself noise (all of them may have missed the light): mean over 5 × 5 pixels.
void blur_variance(std::vector<Noisy>& pixels, int w, int h, Threads& threads) {
    std::vector<float> rows(pixels.size());
    parallel_for(threads, std::size_t(h), 8, [&](std::size_t begin, std::size_t end) {
        for (int y = int(begin); y < int(end); ++y)
            for (int x = 0; x < w; ++x) {
                float sum = 0;
                for (int d = -2; d <= 2; ++d) sum += pixels[std::size_t(y) * w + std::clamp(x + d, 0, w - 1)].variance;
                rows[std::size_t(y) * w + x] = sum;
            }
    });
    parallel_for(threads, std::size_t(h), 8, [&](std::size_t begin, std::size_t end) {
        for (int y = int(begin); y < int(end); ++y)
            for (int x = 0; x < w; ++x) {
                float sum = 0;
                for (int d = -2; d <= 2; ++d) sum += rows[std::size_t(std::clamp(y + d, 0, h - 1)) * w + x];
                pixels[std::size_t(y) * w + x].variance = sum / 25;
            }
    });
}

}  // namespace

void smooth(Film& film, int passes, float pixel_angle, const Vec3f& eye, Threads& threads) {
    if (passes <= 0) return;
    const int w = film.width, h = film.height;
    std::vector<Noisy> from(film.pixels.size()), to(film.pixels.size());
    std::vector<Guide> guides(film.pixels.size());
    parallel_for(threads, from.size(), 16384, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const FilmPixel& p = film.pixels[i];
            from[i] = {joined(p.light, p.openness), p.variance, luminance(p.light)};
            guides[i] = {joined(p.normal, 0),
                         joined(p.position, p.covered > 0 ? pixel_angle * (p.position - eye).norm() : 0.0f)};
        }
    });

    blur_variance(from, w, h, threads);

    constexpr float tap[2] = {0.5f, 0.25f};
    for (int pass = 0; pass < passes; ++pass) {
        const int step = 1 << pass;
        parallel_for(threads, std::size_t(h), 4, [&](std::size_t begin, std::size_t end) {
            for (int y = int(begin); y < int(end); ++y)
                for (int x = 0; x < w; ++x) {
                    const std::size_t i = std::size_t(y) * w + x;
                    const Guide& p = guides[i];
                    if (p.footprint() == 0) {
                        to[i] = from[i];
                        continue;
                    }
                    const Noisy& centre = from[i];
                    const float noise = 1 / (5.0f * std::sqrt(centre.variance) + 2e-3f);
                    const float thickness = 1 / (p.footprint() * float(step));
                    Vec4f light = 0.25f * centre.light;
                    float sum = 0.25f, sum_variance = 0.0625f * centre.variance;
                    for (int dy = -1; dy <= 1; ++dy) {
                        const int qy = y + dy * step;
                        if (qy < 0 || qy >= h) continue;
                        for (int dx = -1; dx <= 1; ++dx) {
                            const int qx = x + dx * step;
                            if (qx < 0 || qx >= w || (dx == 0 && dy == 0)) continue;
                            const std::size_t j = std::size_t(qy) * w + qx;
                            const Guide& q = guides[j];
                            const float facing = p.normal.dot(q.normal);
                            if (facing < 0.75f || q.footprint() == 0) continue;
                            // Off the tangent plane by more than a pixel's width: another surface.
                            const float off = std::abs(p.normal.dot(q.place - p.place)) * thickness;
                            const float differs = std::abs(from[j].brightness - centre.brightness) * noise;
                            const float weight = tap[std::abs(dx)] * tap[std::abs(dy)] *
                                                 falloff(0.7f * off + differs + 20 * (1 - facing));
                            light += weight * from[j].light;
                            sum_variance += weight * weight * from[j].variance;
                            sum += weight;
                        }
                    }
                    const Vec4f mean = light * (1 / sum);
                    to[i] = {mean, sum_variance / (sum * sum), luminance(mean.head<3>())};
                }
        });
        std::swap(from, to);
    }
    parallel_for(threads, from.size(), 16384, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            film.pixels[i].light = from[i].light.head<3>(), film.pixels[i].openness = from[i].light[3],
            film.pixels[i].variance = from[i].variance;
    });
}

}  // namespace pliant
