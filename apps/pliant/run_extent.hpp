#pragma once
// What must stay the same through the pictures of a run, or of several that are compared: camera, ground, colour range.

#include <optional>
#include <vector>

#include "looks_file.hpp"
#include "pliant/io/frame_file.hpp"
#ifdef PLIANT_WITH_RENDER
#include "pliant/render/renderer.hpp"
#endif

namespace pliant {

#ifdef PLIANT_WITH_RENDER

/// Up to `most` of 0 … count−1, evenly spaced, first and last among them.
std::vector<int> spaced(int count, int most);

struct RunExtent {
    std::vector<Box> boxes;           ///< that follow the bodies' outlines
    std::optional<FieldRange> range;  ///< of the field
    std::optional<double> floor;      ///< height of an obstacle that is one, m
    std::optional<double> lowest;     ///< point of what is seen, m

    void add_boxes(const Frame& frame);
    /// Frames from all over a run. field: "" for none.
    void add(RunDirectory& run, const std::string& field, bool with_boxes = true);
    /// Sets what the options leave open, but for a camera of the scene's own. The colour range gets round ends.
    void complete(RenderOptions& options) const;
};

/// Light, surroundings and materials as the scene has them, where the options leave them open.
void use_looks(RenderOptions& options, const SceneLooks& looks);

#endif

}  // namespace pliant
