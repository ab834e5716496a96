#pragma once
// What the rays found, pixel by pixel, apart in the parts that a noise filter must not mix.

#include <vector>

#include "pliant/core/threads.hpp"
#include "pliant/render/float3.hpp"

namespace pliant {

/// Means over a pixel's samples. The picture is own + albedo ⊙ light + coat · openness.
struct FilmPixel {
    Vec3f own = Vec3f::Zero();     ///< backdrop and highlights: free of sampling noise
    Vec3f albedo = Vec3f::Zero();  ///< diffuse colour, zero where only backdrop is seen
    Vec3f coat = Vec3f::Zero();    ///< sky mirrored in the coat
    Vec3f light = Vec3f::Zero();   ///< noisy: what falls on the surface, per unit albedo
    float openness = 1;            ///< noisy: share of the sky that is not hidden
    float variance = 0;            ///< of the mean of `light`'s luminance
    float covered = 0;             ///< share of samples that met a surface
    Vec3f normal = Vec3f::Zero();
    Vec3f position = Vec3f::Zero();

    Vec3f color() const { return own + albedo.cwiseProduct(light) + coat * openness; }
};

struct Film {
    int width, height;
    std::vector<FilmPixel> pixels;

    Film(int w, int h) : width(w), height(h), pixels(std::size_t(w) * h) {}
};

/// Smooths `light` and `openness` over neighbouring pixels of the same surface, by as much as their own noise
/// allows (edge-avoiding à-trous wavelets, Dammertz et al. 2010, steered by variance as in Schied et al. 2017).
/// passes: each doubles the reach, 2^passes pixels; 0 leaves the film as it is.
/// pixel_angle: width of a pixel at unit distance; eye: in the same space as the positions.
void smooth(Film& film, int passes, float pixel_angle, const Vec3f& eye, Threads& threads);

}  // namespace pliant
