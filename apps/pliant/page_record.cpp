#include "page_record.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "pliant/core/error.hpp"
#include "pliant/geometry/polar.hpp"
#include "pliant/io/json_writer.hpp"
#include "studio_stream.hpp"

namespace pliant {

namespace {

constexpr double steps_per_side = 20000;  // of the grid that positions are told on
constexpr int farthest_code = 30000;      // from the centre: the body is three times as large as it was

Box box_of(const std::vector<Vec3>& points) {
    Box box;
    for (const Vec3& p : points) box.add(p);
    return box;
}

double enclosed_volume(const BodyFrame& body) {
    double sum = 0;
    if (body.triangles && !body.points.empty()) {
        const Vec3 o = body.points[0];
        for (const Tri& t : *body.triangles)
            sum += (body.points[t[0]] - o).dot((body.points[t[1]] - o).cross(body.points[t[2]] - o));
    }
    return sum / 6;
}

/// Small differences of either sign as small numbers.
std::uint32_t zigzag(std::int32_t d) {
    return (static_cast<std::uint32_t>(d) << 1) ^ static_cast<std::uint32_t>(d >> 31);
}

const Field* labels(const BodyFrame& body, const char* name) {
    for (const Field& field : body.fields)
        if (field.name == name && field.on == Field::On::triangle && field.components == 1 && body.triangles &&
            field.values.size() == body.triangles->size())
            return &field;
    return nullptr;
}

std::vector<std::uint32_t> label_numbers(const BodyFrame& body, const char* name) {
    std::vector<std::uint32_t> list;
    if (const Field* field = labels(body, name))
        for (float v : field->values) list.push_back(static_cast<std::uint32_t>(std::max(0.f, v)));
    return list;
}

/// What a page colours by: labels are told with the triangles, and the length of a velocity is the speed.
bool shown_field(const BodyFrame& body, const Field& field) {
    if (field.values.empty() || (field.on == Field::On::triangle)) return false;
    if (field.name != "speed") return true;
    return std::none_of(body.fields.begin(), body.fields.end(),
                        [](const Field& f) { return f.name == "velocity" && f.on == Field::On::node; });
}

std::vector<float> magnitudes(const Field& field) {
    if (field.components == 1) return field.values;
    const auto n = static_cast<std::size_t>(field.components);
    std::vector<float> result(field.values.size() / n);
    for (std::size_t i = 0; i < result.size(); ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k) sum += double(field.values[n * i + k]) * field.values[n * i + k];
        result[i] = static_cast<float>(std::sqrt(sum));
    }
    return result;
}

struct RigidFit {
    Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
    Vec3 translation = Vec3::Zero();
    double error = 0;  ///< largest distance, m
};

/// The rotation and translation that take `rest` (about its centroid) nearest to `points` (Kabsch 1976).
RigidFit fit_rigid(const std::vector<Vec3>& rest, const std::vector<Vec3>& points) {
    RigidFit fit;
    for (const Vec3& p : points) fit.translation += p / static_cast<double>(points.size());
    Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
    for (std::size_t i = 0; i < points.size(); ++i) covariance += (points[i] - fit.translation) * rest[i].transpose();
    fit.rotation = closest_rotation(covariance).toRotationMatrix();
    for (std::size_t i = 0; i < points.size(); ++i)
        fit.error = std::max(fit.error, (fit.rotation * rest[i] + fit.translation - points[i]).norm());
    return fit;
}

/// Arrays behind the header.
class RecordArrays {
public:
    std::size_t add(std::string_view bytes) {
        text.append((4 - text.size() % 4) % 4, '\0');
        const std::size_t at = text.size();
        text += bytes;
        return at;
    }
    /// Least significant bytes of all numbers first.
    std::size_t planes(const std::vector<std::uint32_t>& list) {
        std::string bytes(4 * list.size(), '\0');
        for (std::size_t i = 0; i < list.size(); ++i)
            for (std::size_t k = 0; k < 4; ++k)
                bytes[k * list.size() + i] = static_cast<char>(list[i] >> (8 * k) & 255);
        return add(bytes);
    }
    /// Whole numbers as differences: from the same place of the list before where most are the same, otherwise from
    /// `stride` places ahead. The entry is [offset, count, 1 where the list before is meant].
    void integers(JsonWriter& json, std::string_view name, const std::vector<std::uint32_t>& list,
                  const std::vector<std::uint32_t>& before, std::size_t stride) {
        std::size_t same = 0;
        for (std::size_t i = 0; i < std::min(list.size(), before.size()); ++i) same += list[i] == before[i];
        const bool like = 2 * same > list.size();
        std::vector<std::uint32_t> coded(list.size());
        for (std::size_t i = 0; i < list.size(); ++i) {
            const std::uint32_t from = like && i < before.size() ? before[i] : i >= stride ? list[i - stride] : 0;
            coded[i] = zigzag(static_cast<std::int32_t>(list[i] - from));
        }
        entry(json, name, planes(coded), list.size(), like);
    }
    static void entry(JsonWriter& json, std::string_view name, std::size_t at, std::size_t count, bool like) {
        json.key(name);
        json.begin_array();
        json.value(at);
        json.value(count);
        json.value(like ? 1 : 0);
        json.end_array();
    }
    std::string text;
};

template <class Element>
std::vector<std::uint32_t> corner_numbers(const std::shared_ptr<const std::vector<Element>>& elements) {
    std::vector<std::uint32_t> list;
    if (elements)
        for (const Element& e : *elements)
            for (int v : e) list.push_back(static_cast<std::uint32_t>(v));
    return list;
}

std::vector<std::uint32_t> carrier_nodes(const std::shared_ptr<const std::vector<Point>>& carriers) {
    std::vector<std::uint32_t> list;
    if (carriers)
        for (const Point& p : *carriers)
            for (int v : p.node) list.push_back(static_cast<std::uint32_t>(v));
    return list;
}

/// Floats as whole numbers of the same bits.
std::vector<std::uint32_t> bits_of(const std::vector<float>& list) {
    std::vector<std::uint32_t> bits(list.size());
    if (!list.empty()) std::memcpy(bits.data(), list.data(), 4 * list.size());
    return bits;
}

std::vector<std::uint32_t> uv_bits(const SurfaceAttributes* brought) {
    return brought ? bits_of(corner_uv(*brought)) : std::vector<std::uint32_t>{};
}

std::vector<std::uint32_t> color_bits(const SurfaceAttributes* brought) {
    return brought ? bits_of(corner_colors(*brought)) : std::vector<std::uint32_t>{};
}

std::vector<std::uint32_t> shading_numbers(const SurfaceAttributes* brought) {
    return brought ? std::vector<std::uint32_t>(brought->shading.begin(), brought->shading.end())
                   : std::vector<std::uint32_t>{};
}

std::vector<std::uint32_t> slot_numbers(const SurfaceAttributes* brought) {
    return brought ? std::vector<std::uint32_t>(brought->material.begin(), brought->material.end())
                   : std::vector<std::uint32_t>{};
}

std::vector<std::uint32_t> carrier_weights(const std::shared_ptr<const std::vector<Point>>& carriers) {
    std::vector<std::uint32_t> list;
    if (carriers)
        for (const Point& p : *carriers)
            for (int k = 0; k < 4; ++k) {
                const auto weight = static_cast<float>(p.weight[k]);
                std::uint32_t bits = 0;
                std::memcpy(&bits, &weight, 4);
                list.push_back(bits);
            }
    return list;
}

template <class T>
void write_list(JsonWriter& json, std::string_view name, const std::vector<T>& list) {
    json.key(name);
    json.begin_array();
    for (const T& v : list) json.value(v);
    json.end_array();
}

const char* place_name(Field::On on) {
    switch (on) {
        case Field::On::node: return "node";
        case Field::On::tet: return "tet";
        case Field::On::vertex: return "vertex";
        case Field::On::triangle: break;
    }
    return "triangle";
}

}  // namespace

bool PageRecord::begin_motion(Motion& motion, const std::vector<Vec3>& points) {
    const Box box = box_of(points);
    const double side = box.empty() ? 0 : (box.max - box.min).maxCoeff();
    motion.quantum = side > 0 ? side / steps_per_side : 1;
    motion.count = 3 * points.size();
    return add_motion(motion, points);
}

bool PageRecord::add_motion(Motion& motion, const std::vector<Vec3>& points) {
    if (motion.count != 3 * points.size()) return false;
    const double q = motion.quantum;
    const Box box = box_of(points);
    Vec3 centre = Vec3::Zero();
    if (!box.empty())
        for (int k = 0; k < 3; ++k) centre[k] = std::round(box.center()[k] / q);
    std::vector<std::int16_t> codes(motion.count);
    for (std::size_t i = 0; i < points.size(); ++i)
        for (int k = 0; k < 3; ++k) {
            const double code = std::round(points[i][k] / q) - centre[k];
            if (!(std::abs(code) <= farthest_code)) return false;
            codes[3 * i + static_cast<std::size_t>(k)] = static_cast<std::int16_t>(code);
        }
    // Predicted to stand still (1) or to go on as it did (2), whichever leaves less; the first frame from the number of
    // the point before it.
    const std::size_t n = motion.count;
    std::vector<std::int32_t> rest[2];
    double sum[2] = {0, 0};
    const bool first = motion.centre.empty();
    for (std::size_t order = 0; order < 2; ++order) {
        if (order == 1 && motion.before.empty()) break;
        rest[order].resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            const std::int32_t guess = first        ? (i >= 3 ? codes[i - 3] : 0)
                                       : order == 0 ? motion.last[i]
                                                    : 2 * motion.last[i] - motion.before[i];
            rest[order][i] = codes[i] - guess;
            sum[order] += std::abs(rest[order][i]);
        }
    }
    const std::size_t chosen = !rest[1].empty() && sum[1] < sum[0] ? 1 : 0;
    for (std::int32_t d : rest[chosen]) {
        const std::uint32_t z = zigzag(static_cast<std::int16_t>(d));  // modulo 2¹⁶: the reader adds up the same way
        motion.low += static_cast<char>(z & 255);
        motion.high += static_cast<char>(z >> 8 & 255);
    }
    motion.order.push_back(first ? 0 : static_cast<int>(chosen) + 1);
    motion.centre.push_back(centre * q);
    motion.before = first ? std::vector<std::int16_t>() : std::move(motion.last);
    motion.last = std::move(codes);
    return true;
}

bool PageRecord::continues(const Span& span, const BodyFrame& body) const {
    return span.triangles == body.triangles && span.tets == body.tets && span.carriers == body.carriers &&
           span.attributes == body.attributes && span.crack == label_numbers(body, "crack") &&
           span.piece == label_numbers(body, "piece");
}

PageRecord::Span PageRecord::begin_span(const BodyFrame& body, const Span* before) const {
    Span span;
    span.first = times_.size() - 1;
    span.triangles = body.triangles, span.tets = body.tets, span.carriers = body.carriers;
    span.attributes = body.attributes;
    span.crack = label_numbers(body, "crack"), span.piece = label_numbers(body, "piece");
    span.same_topology = before && continues(*before, body);
    const bool mesh = body.tets && !body.tets->empty() && body.carriers && body.carriers->size() == body.points.size();
    span.hangs = mesh;
    if (!mesh && !body.points.empty()) {
        Vec3 centroid = Vec3::Zero();
        for (const Vec3& p : body.points) centroid += p / static_cast<double>(body.points.size());
        for (const Vec3& p : body.points) span.rest.push_back(p - centroid);
        span.rigid = !(span.same_topology && before->rigid);  // the last one ended because it bends
    }
    return span;
}

bool PageRecord::add_positions(Span& span, const BodyFrame& body) {
    if (span.rigid) {
        if (span.rest.size() != body.points.size()) return false;
        const RigidFit fit = fit_rigid(span.rest, body.points);
        const double side = (box_of(body.points).max - box_of(body.points).min).maxCoeff();
        if (fit.error <= side / steps_per_side) {
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) span.poses.push_back(fit.rotation(i, j));
            for (int i = 0; i < 3; ++i) span.poses.push_back(fit.translation[i]);
            return true;
        }
        if (span.frames > 0) return false;
        span.rigid = false;  // it bends from one frame to the next
    }
    if (span.hangs) {
        const double quantum = span.nodes.count ? span.nodes.quantum : 0;
        const Box box = box_of(body.nodes);
        const double near = std::max(quantum, (box.max - box.min).maxCoeff() / steps_per_side);
        for (std::size_t i = 0; i < body.points.size() && span.hangs; ++i)
            span.hangs = ((*body.carriers)[i].of(body.nodes) - body.points[i]).norm() <= near;
        if (!span.hangs && span.frames > 0) return false;
    }
    const bool inside = span.tets && !span.tets->empty();
    const bool first = span.frames == 0;
    if (inside && !(first ? begin_motion(span.nodes, body.nodes) : add_motion(span.nodes, body.nodes))) return false;
    if (!span.hangs && !(first ? begin_motion(span.points, body.points) : add_motion(span.points, body.points)))
        return false;
    return true;
}

bool PageRecord::add_fields(Span& span, const BodyFrame& body) {
    const bool first = span.frames == 0;
    std::size_t place = 0;
    for (const Field& field : body.fields) {
        if (!shown_field(body, field)) continue;
        const std::vector<float> values = magnitudes(field);
        const std::string name = field.name == "velocity" ? "speed" : field.name;
        if (first) span.fields.push_back({name, field.unit, field.on, {}, {}, {}, values.size()});
        if (place >= span.fields.size()) return false;
        FieldCodes& codes = span.fields[place++];
        if (codes.name != name || codes.count != values.size()) return false;
        float low = std::numeric_limits<float>::infinity(), high = -low;
        for (float v : values)
            if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
        if (!(low <= high)) low = high = 0;
        codes.low.push_back(low), codes.high.push_back(high);
        const float scale = high > low ? 255 / (high - low) : 0;
        std::uint8_t last = 0;
        for (float v : values) {
            const auto code =
                static_cast<std::uint8_t>(std::isfinite(v) ? std::lround((v - low) * scale) : (v > 0 ? 255 : 0));
            codes.codes += static_cast<char>(static_cast<std::uint8_t>(code - last));
            last = code;
        }
    }
    return place == span.fields.size();
}

void PageRecord::add(const Frame& frame) {
    indices_.push_back(frame.index);
    times_.push_back(frame.time);
    for (const auto& [name, value] : frame.measures) measures_[name].emplace_back(times_.size() - 1, value);
    if (bodies_.empty())
        for (const BodyFrame& body : frame.bodies) bodies_.push_back({body.name, body.kind, body.color, {}, {}});
    CHECK(bodies_.size() == frame.bodies.size(), bodies_.size(), frame.bodies.size());
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        BodySpans& mine = bodies_[b];
        const BodyFrame& body = frame.bodies[b];
        mine.volume.push_back(body.kind == "obstacle" ? 0 : enclosed_volume(body));
        if (!mine.spans.empty() && continues(mine.spans.back(), body)) {
            // On a copy of what is small: positions that do not fit, or fields that are others, begin a new span.
            Span& span = mine.spans.back();
            const std::size_t frames = span.frames;
            const auto sizes = std::array{span.nodes.low.size(), span.points.low.size(), span.poses.size()};
            if (add_positions(span, body) && add_fields(span, body)) {
                ++span.frames;
                continue;
            }
            // What was begun of this frame is taken off again.
            const auto cut = [&](Motion& m, std::size_t size) {
                if (m.low.size() == size) return;
                m.low.resize(size), m.high.resize(size), m.centre.resize(frames), m.order.resize(frames);
            };
            cut(span.nodes, sizes[0]), cut(span.points, sizes[1]);
            span.poses.resize(sizes[2]);
            for (FieldCodes& f : span.fields)
                f.low.resize(frames), f.high.resize(frames), f.codes.resize(frames * f.count);
        }
        Span span = begin_span(body, mine.spans.empty() ? nullptr : &mine.spans.back());
        const bool added = add_positions(span, body) && add_fields(span, body);
        CHECK(added, body.name, frame.index);
        span.frames = 1;
        mine.spans.push_back(std::move(span));
    }
}

std::string PageRecord::bytes(const std::vector<std::string>& about, const std::vector<std::int16_t>& sound,
                              int channels, int rate) const {
    RecordArrays arrays;
    PagePictures pictures;
    JsonWriter json;
    json.begin_line();
    json.begin_object();
    json.entry("fps", info_.fps);
    write_list(json, "index", indices_);
    write_list(json, "time", times_);
    json.key("measures");
    json.begin_object();
    for (const auto& [name, list] : measures_) {
        json.key(name);
        json.begin_array();
        std::size_t next = 0;
        for (std::size_t f = 0; f < times_.size(); ++f) {
            const bool has = next < list.size() && list[next].first == f;
            json.value(has ? list[next].second : std::nan(""));
            next += has;
        }
        json.end_array();
    }
    json.end_object();
    json.key("bodies");
    json.begin_array();
    for (const BodySpans& body : bodies_) {
        json.begin_object();
        json.entry("name", body.name);
        json.entry("kind", body.kind);
        write_vector(json, "color", body.color);
        if (body.kind != "obstacle") write_list(json, "volume", body.volume);
        json.key("spans");
        json.begin_array();
        const Span* before = nullptr;
        for (const Span& span : body.spans) {
            json.begin_object();
            json.entry("first", span.first);
            json.entry("frames", span.frames);
            if (!span.same_topology) {
                const auto integers = [&](const char* name, const auto& now, const auto& then, std::size_t stride) {
                    if (!now.empty()) arrays.integers(json, name, now, then, stride);
                };
                const Span none;
                const Span& old = before ? *before : none;
                integers("triangles", corner_numbers(span.triangles), corner_numbers(old.triangles), 3);
                integers("tets", corner_numbers(span.tets), corner_numbers(old.tets), 4);
                integers("carrier_nodes", carrier_nodes(span.carriers), carrier_nodes(old.carriers), 4);
                integers("carrier_weights", carrier_weights(span.carriers), carrier_weights(old.carriers), 4);
                integers("crack", span.crack, old.crack, 1);
                integers("piece", span.piece, old.piece, 1);
                integers("shading", shading_numbers(span.attributes.get()), shading_numbers(old.attributes.get()), 1);
                const SurfaceAttributes* brought = shown_attributes(span.attributes.get(), body.color);
                const SurfaceAttributes* before_it = shown_attributes(old.attributes.get(), body.color);
                integers("uv", uv_bits(brought), uv_bits(before_it), 2);
                integers("colors", color_bits(brought), color_bits(before_it), 3);
                integers("slot", slot_numbers(brought), slot_numbers(before_it), 1);
                if (brought && !brought->material.empty()) write_materials(json, *brought, pictures);
            } else {
                json.entry("same", true);
            }
            const auto motion = [&](const char* name, const Motion& m) {
                if (m.centre.empty()) return;
                json.key(name);
                json.begin_object();
                json.entry("quantum", m.quantum);
                json.entry("count", m.count);
                json.key("centre");
                json.begin_array();
                for (const Vec3& c : m.centre)
                    for (int k = 0; k < 3; ++k) json.value(c[k]);
                json.end_array();
                write_list(json, "order", m.order);
                json.entry("low", arrays.add(m.low));
                json.entry("high", arrays.add(m.high));
                json.end_object();
            };
            motion("nodes", span.nodes);
            motion("points", span.points);
            if (span.rigid) {
                std::vector<float> rest;
                for (const Vec3& p : span.rest)
                    for (int k = 0; k < 3; ++k) rest.push_back(static_cast<float>(p[k]));
                json.key("rest");
                json.begin_array();
                json.value(arrays.planes(bits_of(rest)));
                json.value(rest.size());
                json.end_array();
                bool still = true;
                for (std::size_t i = 12; i < span.poses.size(); ++i) still &= span.poses[i] == span.poses[i - 12];
                std::vector<double> poses = span.poses;
                if (still) poses.resize(12);
                write_list(json, "poses", poses);
            }
            json.key("fields");
            json.begin_array();
            for (const FieldCodes& field : span.fields) {
                json.begin_object();
                json.entry("name", field.name);
                json.entry("unit", field.unit);
                json.entry("on", place_name(field.on));
                json.entry("count", field.count);
                const std::vector<double> low(field.low.begin(), field.low.end()),
                    high(field.high.begin(), field.high.end());
                write_list(json, "low", low);
                write_list(json, "high", high);
                json.entry("codes", arrays.add(field.codes));
                json.end_object();
            }
            json.end_array();
            json.end_object();
            before = &span;
        }
        json.end_array();
        json.end_object();
    }
    json.end_array();
    json.key("pictures");
    json.begin_array();
    for (const SurfaceMaterial::Picture& picture : pictures.all()) {
        json.begin_array();
        json.value(arrays.add(picture->bytes));
        json.value(picture->bytes.size());
        json.end_array();
    }
    json.end_array();
    if (!sound.empty()) {
        // From the last sample of the same ear.
        std::string low, high;
        for (std::size_t i = 0; i < sound.size(); ++i) {
            const int d = sound[i] -
                          (i >= static_cast<std::size_t>(channels) ? sound[i - static_cast<std::size_t>(channels)] : 0);
            const std::uint32_t z = zigzag(static_cast<std::int16_t>(d));
            low += static_cast<char>(z & 255), high += static_cast<char>(z >> 8 & 255);
        }
        json.key("sound");
        json.begin_object();
        json.entry("rate", rate);
        json.entry("channels", channels);
        json.entry("count", sound.size());
        json.entry("low", arrays.add(low));
        json.entry("high", arrays.add(high));
        json.end_object();
    }
    json.end_object();
    std::string header = line_of(json);
    for (const std::string& entry : about) header.insert(header.size() - 1, ", " + entry);
    while (header.size() % 4 != 0) header += ' ';
    std::string bytes = "PLRC";
    const auto size = static_cast<std::uint32_t>(header.size());
    bytes.append(reinterpret_cast<const char*>(&size), 4);
    return bytes + header + arrays.text;
}

}  // namespace pliant
