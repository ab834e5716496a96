#include "studio_compare.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

ComparedRun::ComparedRun(const History& history, std::string numbers) : numbers_(std::move(numbers)) {
    // The frames themselves are shared.
    frame_at_ = [kept = std::make_shared<const History>(history)](const Frame& frame) {
        return kept->load(std::clamp(frame.index, kept->first(), kept->last()));
    };
}

ComparedRun::ComparedRun(const std::filesystem::path& directory, std::string numbers) : numbers_(std::move(numbers)) {
    const auto run = std::make_shared<RunDirectory>(directory);
    run->load(0);  // what is wrong with it is said at once
    frame_at_ = [run](const Frame& frame) {
        const auto wanted = static_cast<int>(std::lround(frame.time * run->info().fps));
        int i = 0;
        while (i + 1 < run->frame_count() && run->frame_index(i + 1) <= wanted) ++i;
        return run->load(i);
    };
}

std::shared_ptr<const Frame> ComparedRun::beside(const std::shared_ptr<const Frame>& frame) const {
    if (!frame_at_) return frame;
    auto both = std::make_shared<Frame>(*frame);
    Frame other = frame_at_(*frame);
    for (BodyFrame& body : other.bodies) {
        if (body.kind == "obstacle") continue;
        BodyFrame& ghost = both->bodies.emplace_back();
        ghost.name = body.name + " (kept)";
        ghost.kind = "ghost";
        ghost.color = body.color;
        ghost.points = std::move(body.points);
        ghost.triangles = std::move(body.triangles);
        ghost.surface_revision = body.surface_revision;
    }
    return both;
}

}  // namespace pliant
