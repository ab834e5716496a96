#pragma once
// Pictures of a Frame with no GPU and no display: rays on the CPU, the same bytes for any number of threads.

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "pliant/core/threads.hpp"
#include "pliant/render/camera.hpp"
#include "pliant/render/field.hpp"
#include "pliant/render/image.hpp"
#include "pliant/render/light.hpp"
#include "pliant/render/look.hpp"
#include "pliant/world/frame.hpp"

namespace pliant {

enum class Quality { preview, final };

struct RenderOptions {
    int width = 1280, height = 720;      ///< pixels, 16 … 8192
    Quality quality = Quality::preview;  ///< sets the next two when they are left out
    std::optional<int> samples;          ///< rays per pixel; preview 4, final 32
    std::optional<int> smoothing;        ///< passes of the noise filter; preview 5, final 4; 0 turns it off
    std::uint64_t seed = 1;

    std::optional<Camera> camera;  ///< left out: frames this frame's bodies from `view`
    Framing view;
    /// Sets the scale of ground, horizon and light, which in a movie must not change from frame to frame; left out:
    /// this frame's bodies.
    std::optional<Box> subject;
    std::optional<Vec3> to_sun;           ///< direction to the sun; left out: over the camera's left shoulder
    double softness = 0.075;              ///< half the angle that the sun is seen under, radians
    bool ground = true;                   ///< draw the ground
    std::optional<double> ground_height;  ///< m; left out: the floor of the scene, or its lowest point
    Backdrop backdrop;
    double exposure = 0;  ///< stops; +1 is twice as bright

    std::map<std::string, Appearance> appearance;  ///< by name of the body

    /// Where textures that were brought are kept; copies of the options share it. Null: they are not shown.
    std::shared_ptr<BroughtPictures> pictures = std::make_shared<BroughtPictures>();

    std::string field;                ///< colour bodies by this field, with a colour bar; "" by body
    std::optional<FieldRange> range;  ///< left out: from this frame's values
    bool color_pieces = false;        ///< a colour per piece where a field "piece" exists
    double crease = 55;               ///< degrees: sharper edges are not smoothed over
    std::string caption;              ///< small text at the lower left, "" for none
};

/// What to leave free in the picture for the options' colour bar: pass it to frame_camera().
Framing framing(const RenderOptions& options);

/// Throws UserError when the size is out of range or no body has the field.
Image render(const Frame& frame, const RenderOptions& options, Threads& threads);

}  // namespace pliant
