#include "pliant/render/field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "pliant/geometry/aabb_tree.hpp"

namespace pliant {

namespace {

constexpr float missing = std::numeric_limits<float>::quiet_NaN();

/// Lengths of the field's items, or nothing when its size is not that of `count` items.
std::optional<std::vector<float>> lengths(const Field& field, std::size_t count) {
    const std::size_t n = std::size_t(std::max(1, field.components));
    if (field.values.size() != n * count) return std::nullopt;
    if (n == 1) return field.values;
    std::vector<float> result(count);
    for (std::size_t i = 0; i < count; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k) sum += double(field.values[n * i + k]) * field.values[n * i + k];
        result[i] = float(std::sqrt(sum));
    }
    return result;
}

Vec4 barycentric(const BodyFrame& body, const Tet& t, const Vec3& p) {
    Mat3 edges;
    for (int k = 0; k < 3; ++k) edges.col(k) = body.nodes[t[k + 1]] - body.nodes[t[0]];
    const Vec3 w = edges.fullPivLu().solve(p - body.nodes[t[0]]);
    return Vec4(1 - w.sum(), w[0], w[1], w[2]);
}

/// Squared distance from p to the point of the tet whose barycentric weights are p's, clamped: exact inside, and a
/// bound good enough to choose between tets outside.
double distance2(const BodyFrame& body, const Tet& t, const Vec3& p) {
    Vec4 w = barycentric(body, t, p).cwiseMax(0.0);
    if (!w.allFinite() || !(w.sum() > 0)) w = Vec4::Constant(0.25);
    w /= w.sum();
    Vec3 q = Vec3::Zero();
    for (int k = 0; k < 4; ++k) q += w[k] * body.nodes[t[k]];
    return (q - p).squaredNorm();
}

std::vector<float> node_averages(const BodyFrame& body, const std::vector<float>& per_tet) {
    std::vector<double> sum(body.nodes.size()), count(body.nodes.size());
    for (std::size_t t = 0; t < per_tet.size(); ++t)
        for (int i : (*body.tets)[t]) sum[i] += per_tet[t], count[i] += 1;
    std::vector<float> result(body.nodes.size(), missing);
    for (std::size_t i = 0; i < sum.size(); ++i)
        if (count[i] > 0) result[i] = float(sum[i] / count[i]);
    return result;
}

std::vector<float> from_nodes(const BodyFrame& body, const std::vector<float>& nodes) {
    std::vector<Box> boxes(body.tets->size());
    for (std::size_t t = 0; t < boxes.size(); ++t)
        for (int i : (*body.tets)[t]) boxes[t].add(body.nodes[i]);
    const AabbTree tree(boxes);
    std::vector<float> result(body.points.size(), missing);
    for (std::size_t v = 0; v < result.size(); ++v) {
        const Vec3& p = body.points[v];
        if (!p.allFinite()) continue;
        const auto found = tree.nearest(p, std::numeric_limits<double>::infinity(),
                                        [&](int t) { return distance2(body, (*body.tets)[t], p); });
        if (found.item < 0) continue;
        const Tet& t = (*body.tets)[found.item];
        Vec4 w = barycentric(body, t, p).cwiseMax(0.0);
        if (!w.allFinite() || !(w.sum() > 0)) w = Vec4::Constant(0.25);
        w /= w.sum();
        double value = 0;
        for (int k = 0; k < 4; ++k) value += w[k] * nodes[t[k]];
        result[v] = float(value);
    }
    return result;
}

bool tets_usable(const BodyFrame& body) {
    if (!body.tets || body.tets->empty()) return false;
    for (const Tet& t : *body.tets)
        for (int i : t)
            if (i < 0 || std::size_t(i) >= body.nodes.size() || !body.nodes[i].allFinite()) return false;
    return true;
}

}  // namespace

std::optional<SurfaceValues> surface_values(const BodyFrame& body, const std::string& name) {
    const auto find = [&](Field::On on) -> const Field* {
        for (const Field& field : body.fields)
            if (field.name == name && field.on == on) return &field;
        return nullptr;
    };
    if (const Field* field = find(Field::On::vertex))
        if (auto values = lengths(*field, body.points.size())) return SurfaceValues{true, field->unit, *values};
    if (const Field* field = find(Field::On::triangle))
        if (body.triangles)
            if (auto values = lengths(*field, body.triangles->size()))
                return SurfaceValues{false, field->unit, *values};
    if (const Field* field = find(Field::On::node))
        if (tets_usable(body))
            if (auto values = lengths(*field, body.nodes.size()))
                return SurfaceValues{true, field->unit, from_nodes(body, *values)};
    if (const Field* field = find(Field::On::tet))
        if (tets_usable(body))
            if (auto values = lengths(*field, body.tets->size()))
                return SurfaceValues{true, field->unit, from_nodes(body, node_averages(body, *values))};
    return std::nullopt;
}

std::vector<std::string> field_names(const Frame& frame) {
    std::set<std::string> names;
    for (const BodyFrame& body : frame.bodies)
        for (const Field& field : body.fields) names.insert(field.name);
    return {names.begin(), names.end()};
}

std::optional<FieldRange> field_range(const Frame& frame, const std::string& name) {
    std::vector<float> all;
    bool found = false;
    for (const BodyFrame& body : frame.bodies)
        if (const auto field = surface_values(body, name)) {
            found = true;
            for (float v : field->values)
                if (std::isfinite(v)) all.push_back(v);
        }
    if (!found) return std::nullopt;
    if (all.empty()) return FieldRange{0, 0};
    const auto quantile = [&](double q) {
        const auto at = all.begin() + std::ptrdiff_t(q * double(all.size() - 1) + 0.5);
        std::nth_element(all.begin(), at, all.end());
        return double(*at);
    };
    return FieldRange{quantile(0.002), quantile(0.998)};
}

FieldRange tidy(FieldRange range) {
    if (range.low > range.high) std::swap(range.low, range.high);
    if (range.low < 0 && range.high > 0 && std::min(-range.low, range.high) > 0.1 * std::max(-range.low, range.high)) {
        range.high = std::max(-range.low, range.high);
        range.low = -range.high;
    }
    if (range.low > 0 && range.low < 0.35 * range.high) range.low = 0;
    if (range.high < 0 && range.high > 0.35 * range.low) range.high = 0;
    if (!(range.high - range.low > 1e-9 * std::max(std::abs(range.low), std::abs(range.high)))) {
        const double middle = range.low, half = middle != 0 ? 1e-3 * std::abs(middle) : 0.5;
        range = middle == 0 ? FieldRange{0, 1} : FieldRange{middle - half, middle + half};
    }
    return range;
}

Colormap colormap_for(const FieldRange& range) {
    return range.low < 0 && range.low == -range.high ? Colormap::around_zero : Colormap::rising;
}

}  // namespace pliant
