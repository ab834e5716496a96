#include "pliant/render/field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace pliant {

namespace {

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
        if (auto values = lengths(*field, body.nodes.size()))
            if (auto seen = node_values_on_surface(body, *values); !seen.empty())
                return SurfaceValues{true, field->unit, std::move(seen)};
    if (const Field* field = find(Field::On::tet))
        if (body.tets)
            if (auto values = lengths(*field, body.tets->size()))
                if (auto seen = node_values_on_surface(body, tet_values_at_nodes(body, *values)); !seen.empty())
                    return SurfaceValues{true, field->unit, std::move(seen)};
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
        const auto at = all.begin() + std::lround(q * double(all.size() - 1));
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
