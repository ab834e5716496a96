#ifdef PLIANT_WITH_RENDER

#include "run_extent.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/render/subject.hpp"

namespace pliant {

std::vector<int> spaced(int count, int most) {
    std::vector<int> list;
    const int n = std::min(count, most);
    for (int i = 0; i < n; ++i)
        list.push_back(n == 1 ? count - 1 : int(std::llround(double(i) * (count - 1) / (n - 1))));
    return list;
}

void RunExtent::add_boxes(const Frame& frame) {
    const std::vector<Box> more = subject_boxes(frame);
    boxes.insert(boxes.end(), more.begin(), more.end());
}

void RunExtent::add(RunDirectory& run, const std::string& field, bool with_boxes) {
    for (int i : spaced(run.frame_count(), field.empty() ? 40 : 24)) {
        const Frame frame = run.load(i);
        if (with_boxes) add_boxes(frame);
        if (const auto f = floor_of(frame)) {
            std::optional<double>& height = f->found ? floor : lowest;
            height = height ? std::min(*height, f->height) : f->height;
        }
        if (!field.empty())
            if (const auto r = field_range(frame, field))
                range = range ? FieldRange{std::min(range->low, r->low), std::max(range->high, r->high)} : *r;
    }
}

void RunExtent::complete(RenderOptions& options) const {
    if (!options.range && range) options.range = tidy(*range);
    if (!options.ground_height && floor) options.ground_height = floor;
    if (!options.ground_height && lowest) options.ground_height = lowest;
    options.subject.emplace();
    for (const Box& box : boxes) options.subject->add(box);
    if (options.subject->empty()) options.subject.reset();
    options.camera = frame_camera(boxes, double(options.width) / options.height, framing(options));
}

void use_looks(RenderOptions& options, const SceneLooks& looks) {
    if (const auto& light = looks.lighting) {
        if (light->sun && !options.to_sun) options.to_sun = *light->sun;
        options.softness = light->softness;
        options.exposure += light->exposure;
        if (light->sky) options.backdrop.top = *light->sky;
        if (light->horizon) options.backdrop.horizon = *light->horizon;
        if (light->floor) options.backdrop.floor = *light->floor;
    }
    for (const LookDesc& look : looks.looks) {
        Appearance as;
        as.gloss = look.gloss;
        as.translucency = look.translucency;
        as.texture.kind = look.texture == "checker"   ? Texture::Kind::checker
                          : look.texture == "stripes" ? Texture::Kind::stripes
                          : look.texture == "noise"   ? Texture::Kind::noise
                                                      : Texture::Kind::none;
        as.texture.size = float(look.size);
        as.texture.second = look.second.cast<float>();
        options.appearance[look.of] = as;
    }
}

}  // namespace pliant

#endif
