#pragma once
// The hot loop of the noise filter: one row of pixels through one pass. Compiled for three vector units.

namespace pliant {

/// Arrays of width · height numbers, one after the other for each quantity, so that neighbouring pixels go together.
struct FilmPlanes {
    const float* light[4];    ///< red, green, blue, openness
    const float* variance;    ///< of the light's brightness
    const float* brightness;  ///< of the light
    const float* normal[3];   ///< unit; zero where only backdrop is seen, so that no neighbour faces the same way
    const float* place[3];    ///< position
    const float* footprint;   ///< width of the pixel on the surface; 0: only backdrop
    float* out_light[4];
    float* out_variance;
    float* out_brightness;
    int width, height;
};

struct FilmKernels {
    /// Pass with taps `step` pixels apart, of row y. scratch: 7 · width numbers.
    void (*smooth_row)(const FilmPlanes& planes, int step, int y, float* scratch);
};

/// For the vector unit of this machine.
const FilmKernels& film_kernels();

}  // namespace pliant
