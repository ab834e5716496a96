#include "pliant/scene/paint.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/core/error.hpp"
#include "pliant/geometry/closest_point.hpp"

namespace pliant {

PaintedSurface::PaintedSurface(std::shared_ptr<const TriMesh> surface) : surface_(std::move(surface)) {
    CHECK(surface_ && surface_->attributes);
    std::vector<Box> boxes(surface_->triangles.size());
    for (std::size_t t = 0; t < boxes.size(); ++t)
        for (int v : surface_->triangles[t]) boxes[t].add(surface_->points[v]);
    tree_ = AabbTree(boxes);
}

std::array<double, 4> PaintedSurface::color_at(const Vec3& place, const PaintPicture* picture) const {
    const auto closest = [&](int t) {
        const Tri& tri = surface_->triangles[t];
        return closest_on_triangle(place, surface_->points[tri[0]], surface_->points[tri[1]], surface_->points[tri[2]]);
    };
    const AabbTree::Nearest nearest =
        tree_.nearest(place, std::numeric_limits<double>::infinity(), [&](int t) { return closest(t).distance2; });
    const Vec3 weight = closest(nearest.item).weight;
    const auto blend = [&](const auto& corner, auto sum) {
        for (std::size_t k = 0; k < 3; ++k)
            for (std::size_t c = 0; c < sum.size(); ++c)
                sum[c] +=
                    weight[static_cast<Eigen::Index>(k)] * corner[3 * static_cast<std::size_t>(nearest.item) + k][c];
        return sum;
    };
    if (!picture) return blend(surface_->attributes->color, std::array<double, 4>{});
    const auto uv = blend(surface_->attributes->uv, std::array<double, 2>{});
    return picture_color(*picture, uv[0], uv[1]);
}

std::array<double, 4> picture_color(const PaintPicture& picture, double u, double v) {
    // Pixels have their colours in their middles; the first row is at v = 1.
    const double x = u * picture.width - 0.5, y = (1 - v) * picture.height - 0.5;
    const double left = std::floor(x), top = std::floor(y);
    const auto within = [](double i, int count) { return static_cast<std::size_t>(i - std::floor(i / count) * count); };
    std::array<double, 4> color{0, 0, 0, 1};
    for (int k = 0; k < 4; ++k) {
        const int right = k & 1, below = k >> 1;
        const double share = (right ? x - left : 1 - (x - left)) * (below ? y - top : 1 - (y - top));
        const std::size_t pixel = within(top + below, picture.height) * static_cast<std::size_t>(picture.width) +
                                  within(left + right, picture.width);
        for (std::size_t c = 0; c < 3; ++c) color[c] += share * linear_of_srgb(picture.rgb[3 * pixel + c] / 255.0);
    }
    return color;
}

double painted_number(const PaintDesc& paint, const std::array<double, 4>& color) {
    // Grey is the luminance of linear Rec. 709 colours.
    const double share = paint.channel == PaintDesc::Channel::grey
                             ? 0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2]
                             : color[static_cast<std::size_t>(paint.channel)];
    const double s = std::clamp(share, 0.0, 1.0);
    if (paint.logarithmic) return paint.from * std::pow(paint.to / paint.from, s);
    return paint.from + s * (paint.to - paint.from);
}

bool paints_numbers(const MaterialDesc& desc) {
    return std::any_of(desc.paint.begin(), desc.paint.end(), [](const PaintDesc& p) { return p.number != nullptr; });
}

void add_paint(const MaterialDesc& desc, const TetMesh& mesh, std::vector<MaterialNumbers>& numbers) {
    if (!paints_numbers(desc)) return;
    const PaintedSurface painted(desc.painted);
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        Vec3 center = Vec3::Zero();
        for (int node : mesh.tets[t]) center += 0.25 * mesh.rest[node];
        for (const PaintDesc& paint : desc.paint)
            if (paint.number)
                numbers[t].*paint.number = painted_number(paint, painted.color_at(center, paint.picture.get()));
    }
}

std::vector<double> painted_temperatures(const MaterialDesc& desc, const std::vector<Vec3>& places) {
    std::vector<double> temperatures;
    for (const PaintDesc& paint : desc.paint) {
        if (paint.number) continue;
        const PaintedSurface painted(desc.painted);
        temperatures.clear();
        for (const Vec3& place : places)
            temperatures.push_back(painted_number(paint, painted.color_at(place, paint.picture.get())));
    }
    return temperatures;
}

}  // namespace pliant
