#pragma once
// Where in a picture nothing but backdrop or sunlit ground can be seen: most of it, as a rule. Told by the box of all
// bodies alone, so that asking costs next to nothing.

#include "pliant/render/scene.hpp"

namespace pliant {

/// The rays of a camera's pixels, in picture space.
struct PixelRays {
    Vec3f eye;
    Vec3f first, across, down;  ///< the upper left of the picture, and a pixel's width and height
    int width, height;

    Vec3f direction(float x, float y) const { return unit(first + x * across + y * down); }
};

class OpenGround {
public:
    /// sun_radius: half the angle that the sun is seen under, radians.
    OpenGround(const RayScene& scene, const PixelRays& rays, const Vec3f& to_sun, float sun_radius);

    /// No ray through the pixel, or through one beside it, meets a body.
    bool free_of_bodies(int x, int y) const { return !screen_.holds(float(x), float(y)); }
    /// The whole of the sun is seen from this place on the ground.
    bool sunny(const Vec3f& place) const { return !shade_.holds(place[0], place[2]); }

private:
    struct Rectangle {
        float low[2]{1e30f, 1e30f}, high[2]{-1e30f, -1e30f};  // empty

        void add(float x, float y, float margin) {
            low[0] = std::min(low[0], x - margin), high[0] = std::max(high[0], x + margin);
            low[1] = std::min(low[1], y - margin), high[1] = std::max(high[1], y + margin);
        }
        void fill() { low[0] = low[1] = -1e30f, high[0] = high[1] = 1e30f; }
        bool holds(float x, float y) const { return x >= low[0] && x <= high[0] && y >= low[1] && y <= high[1]; }
    };
    Rectangle screen_, shade_;  // pixels; x and z of the ground
};

}  // namespace pliant
