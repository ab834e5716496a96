#include "pliant/render/film_kernels.hpp"

namespace pliant {

namespace {

// Only what the compiler turns into single instructions: no function of the standard library may be compiled here.
float largest(float a, float b) { return a > b ? a : b; }
float size_of(float a) { return a < 0 ? -a : a; }

/// Adds the neighbour (dx, dy) · step to the sums of a row. The loops have no branches, so that they become vector
/// code.
void add_tap(const FilmPlanes& planes, long row, long other, int from, int to, int shift, float tap,
             float thickness_step, const float* noise, float* const sums[6]) {
    const float *nx = planes.normal[0] + row, *ny = planes.normal[1] + row, *nz = planes.normal[2] + row;
    const float *px = planes.place[0] + row, *py = planes.place[1] + row, *pz = planes.place[2] + row;
    const float *mx = planes.normal[0] + other + shift, *my = planes.normal[1] + other + shift,
                *mz = planes.normal[2] + other + shift;
    const float *qx = planes.place[0] + other + shift, *qy = planes.place[1] + other + shift,
                *qz = planes.place[2] + other + shift;
    const float *footprint = planes.footprint + row, *there = planes.footprint + other + shift;
    const float *brightness = planes.brightness + row, *bright = planes.brightness + other + shift;
    const float* variance = planes.variance + other + shift;
    const float *red = planes.light[0] + other + shift, *green = planes.light[1] + other + shift,
                *blue = planes.light[2] + other + shift, *open = planes.light[3] + other + shift;
    float* __restrict__ sr = sums[0], * __restrict__ sg = sums[1], * __restrict__ sb = sums[2], * __restrict__ so = sums[3];
    float* __restrict__ sum = sums[4], * __restrict__ sum_variance = sums[5];
#pragma GCC ivdep
    for (int x = from; x < to; ++x) {
        const float facing = nx[x] * mx[x] + ny[x] * my[x] + nz[x] * mz[x];
        // Off the tangent plane by more than a pixel's width: another surface.
        const float off = size_of(nx[x] * (qx[x] - px[x]) + ny[x] * (qy[x] - py[x]) + nz[x] * (qz[x] - pz[x])) *
                          (thickness_step / largest(footprint[x], 1e-30f));
        const float differs = size_of(bright[x] - brightness[x]) * noise[x];
        // Close to exp(−d) and much cheaper; 0 from 8 on.
        const float d = 0.7f * off + differs + 20 * (1 - facing);
        const float a = largest(0.0f, 1 - d * 0.125f), a2 = a * a, a4 = a2 * a2;
        // As numbers rather than as a branch.
        const float same = (facing >= 0.75f ? 1.0f : 0.0f) * (there[x] > 0 ? 1.0f : 0.0f);
        const float weight = same * tap * (a4 * a4);
        sr[x] += weight * red[x];
        sg[x] += weight * green[x];
        sb[x] += weight * blue[x];
        so[x] += weight * open[x];
        sum_variance[x] += weight * weight * variance[x];
        sum[x] += weight;
    }
}

void smooth_row(const FilmPlanes& planes, int step, int y, float* scratch) {
    const int w = planes.width, h = planes.height;
    const long row = static_cast<long>(y) * w;
    // Left and right of all surfaces, and above the horizon, there is only backdrop, which stays as it is.
    int first = 0, last = w;
    while (first < w && planes.footprint[row + first] <= 0) ++first;
    while (last > first && planes.footprint[row + last - 1] <= 0) --last;
    float* sums[6];
    for (int k = 0; k < 6; ++k) sums[k] = scratch + static_cast<long>(k) * w;
    float* noise = scratch + 6L * w;
    for (int k = 0; k < 4; ++k)
        for (int x = 0; x < w; ++x) sums[k][x] = 0.25f * planes.light[k][row + x];
    for (int x = 0; x < w; ++x) {
        sums[4][x] = 0.25f;
        sums[5][x] = 0.0625f * planes.variance[row + x];
        noise[x] = 1 / (5.0f * __builtin_sqrtf(planes.variance[row + x]) + 2e-3f);
    }
    constexpr float tap[2] = {0.5f, 0.25f};
    for (int dy = -1; dy <= 1; ++dy) {
        const int qy = y + dy * step;
        if (qy < 0 || qy >= h) continue;
        for (int dx = -1; dx <= 1; ++dx) {
            if (dx == 0 && dy == 0) continue;
            const int shift = dx * step, from = shift < -first ? -shift : first,
                      to = shift > w - last ? w - shift : last;
            if (from < to)
                add_tap(planes, row, static_cast<long>(qy) * w, from, to, shift,
                        tap[dx == 0 ? 0 : 1] * tap[dy == 0 ? 0 : 1], 1.0f / static_cast<float>(step), noise, sums);
        }
    }
    for (int x = 0; x < w; ++x) {
        const bool seen = planes.footprint[row + x] > 0;
        const float scale = 1 / sums[4][x];
        float mean[4];
        for (int k = 0; k < 4; ++k) {
            mean[k] = seen ? sums[k][x] * scale : planes.light[k][row + x];
            planes.out_light[k][row + x] = mean[k];
        }
        planes.out_variance[row + x] = seen ? sums[5][x] * scale * scale : planes.variance[row + x];
        planes.out_brightness[row + x] = 0.2126f * mean[0] + 0.7152f * mean[1] + 0.0722f * mean[2];
    }
}

}  // namespace

namespace PLIANT_KERNEL {
extern const FilmKernels film_table;
const FilmKernels film_table{smooth_row};
}  // namespace PLIANT_KERNEL

}  // namespace pliant
