#include "pliant/io/ply_write.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/io/mesh_text.hpp"

namespace pliant {

namespace {

/// Values one after the other, as bytes or as words of a line.
class PlyBody {
public:
    PlyBody(TextBuilder& out, bool ascii) : out_(out), ascii_(ascii) {}
    template <class T>
    void put(T value) {
        if (!ascii_) {
            out_.value(value);
            return;
        }
        if (!first_) out_.text(" ");
        first_ = false;
        if constexpr (std::is_floating_point_v<T>)
            out_.number(value);
        else
            out_.integer(static_cast<long long>(value));
    }
    void end_line() {
        if (ascii_) out_.text("\n");
        first_ = true;
    }

private:
    TextBuilder& out_;
    bool ascii_, first_ = true;
};

std::uint8_t byte_of(double share) { return static_cast<std::uint8_t>(std::lround(255 * std::clamp(share, 0.0, 1.0))); }

class PlyText {
public:
    PlyText(const ExportSurface& surface, const PlyWriting& how) : s_(surface), how_(how) {
        first_corner_ = corner_of_points(s_);
        for (int c = 0; s_.has_uv() && !wedges_ && c < 3 * static_cast<int>(s_.triangles.size()); ++c)
            wedges_ = uv(c) != uv(first_corner_[static_cast<std::size_t>(s_.point(c))]);
        for_each_polygon(s_.attributes, s_.triangles.size(), [&](int, std::span<const int> corners) {
            ++faces_;
            largest_ = std::max(largest_, corners.size());
        });
        materials_ = s_.attributes && !s_.attributes->material.empty();
        point_normals();
    }

    std::string make() {
        header();
        PlyBody body(out_, how_.ascii);
        for (std::size_t i = 0; i < s_.points.size(); ++i) vertex(body, i), body.end_line();
        for_each_polygon(s_.attributes, s_.triangles.size(),
                         [&](int first, std::span<const int> corners) { face(body, first, corners), body.end_line(); });
        return out_.take();
    }

private:
    const std::array<float, 2>& uv(int corner) const { return s_.attributes->uv[static_cast<std::size_t>(corner)]; }

    /// Faces meet at a vertex with normals of their own; the vertex has the mean of them.
    void point_normals() {
        if (s_.normals.empty()) return;
        if (s_.normal_per_point) {
            normals_ = s_.normals;
            return;
        }
        normals_.assign(s_.points.size(), Vec3::Zero());
        for (int c = 0; c < 3 * static_cast<int>(s_.triangles.size()); ++c)
            normals_[static_cast<std::size_t>(s_.point(c))] += s_.normal(c);
        for (Vec3& n : normals_)
            if (const double length = n.norm(); length > 0) n /= length;
    }

    void header() {
        out_.text(how_.ascii ? "ply\nformat ascii 1.0\n" : "ply\nformat binary_little_endian 1.0\n");
        for (const std::string& comment : how_.comments) out_.text("comment " + comment + "\n");
        for (std::size_t i = 0; materials_ && i < s_.slots.size(); ++i) {
            std::string name = s_.slots[i].name;
            for (char& c : name)
                if (static_cast<unsigned char>(c) < 32) c = '_';
            out_.text("comment material " + std::to_string(i) + " " + name + "\n");
        }
        out_.text("element vertex ").integer(static_cast<long long>(s_.points.size()));
        const std::string real = how_.doubles ? "double" : "float";
        for (const char* axis : {"x", "y", "z"}) out_.text("\nproperty " + real + " " + axis);
        if (!normals_.empty()) out_.text("\nproperty float nx\nproperty float ny\nproperty float nz");
        if (has_color()) out_.text("\nproperty uchar red\nproperty uchar green\nproperty uchar blue");
        if (s_.has_colors()) out_.text("\nproperty uchar alpha");
        if (s_.has_uv() && !wedges_) out_.text("\nproperty float s\nproperty float t");
        declare(how_.vertex_fields);
        out_.text("\nelement face ").integer(static_cast<long long>(faces_));
        out_.text(std::string("\nproperty list ") + (largest_ <= 255 ? "uchar" : "int") + " int vertex_indices");
        if (wedges_)
            out_.text(std::string("\nproperty list ") + (largest_ <= 127 ? "uchar" : "int") + " float texcoord");
        if (materials_) out_.text("\nproperty int material_index");
        declare(how_.triangle_fields);
        out_.text("\nend_header\n");
    }
    /// A property line per component.
    void declare(const std::vector<const Field*>& fields) {
        static constexpr const char* axes[] = {"_x", "_y", "_z"};
        for (const Field* field : fields) {
            std::string name = field->name;
            for (char& c : name)
                if (static_cast<unsigned char>(c) <= 32) c = '_';
            for (int c = 0; c < field->components; ++c) {
                out_.text("\nproperty float " + name);
                if (field->components == 3) out_.text(axes[c]);
                if (field->components > 3) out_.text("_" + std::to_string(c));
            }
        }
    }
    bool has_color() const { return how_.always_color || s_.has_colors(); }

    void vertex(PlyBody& body, std::size_t i) const {
        for (int k = 0; k < 3; ++k)
            how_.doubles ? body.put(s_.points[i][k]) : body.put(static_cast<float>(s_.points[i][k]));
        for (int k = 0; k < 3 && !normals_.empty(); ++k) body.put(static_cast<float>(normals_[i][k]));
        const int corner = first_corner_[i];
        if (has_color()) {
            std::array<float, 4> color{1, 1, 1, 1};
            for (std::size_t k = 0; k < 3 && !s_.has_colors(); ++k)
                color[k] = static_cast<float>(s_.color[static_cast<Eigen::Index>(k)]);
            if (s_.has_colors() && corner >= 0) color = s_.attributes->color[static_cast<std::size_t>(corner)];
            for (std::size_t k = 0; k < 3; ++k) body.put(byte_of(srgb_of_linear(color[k])));
            if (s_.has_colors()) body.put(byte_of(color[3]));
        }
        for (std::size_t k = 0; k < 2 && s_.has_uv() && !wedges_; ++k) body.put(corner < 0 ? 0.F : uv(corner)[k]);
        put_fields(body, how_.vertex_fields, i);
    }
    void face(PlyBody& body, int first, std::span<const int> corners) const {
        const auto count = [&](std::size_t n, std::size_t most) {
            most <= 255 ? body.put(static_cast<std::uint8_t>(n)) : body.put(static_cast<std::int32_t>(n));
        };
        count(corners.size(), largest_);
        for (int c : corners) body.put(static_cast<std::int32_t>(s_.point(c)));
        if (wedges_) {
            count(2 * corners.size(), 2 * largest_);
            for (int c : corners) body.put(uv(c)[0]), body.put(uv(c)[1]);
        }
        if (materials_) body.put(static_cast<std::int32_t>(s_.slot_of(first)));
        put_fields(body, how_.triangle_fields, static_cast<std::size_t>(first));
    }
    static void put_fields(PlyBody& body, const std::vector<const Field*>& fields, std::size_t item) {
        for (const Field* field : fields) {
            const auto n = static_cast<std::size_t>(field->components);
            for (std::size_t c = 0; c < n; ++c) body.put(field->values[item * n + c]);
        }
    }

    const ExportSurface& s_;
    const PlyWriting& how_;
    TextBuilder out_;
    std::vector<Vec3> normals_;
    std::vector<int> first_corner_;  // per point: whose colour it has
    std::size_t faces_ = 0, largest_ = 0;
    bool wedges_ = false;  // a vertex has several pairs of texture coordinates
    bool materials_ = false;
};

}  // namespace

std::string ply_text(const ExportSurface& surface, const PlyWriting& how) { return PlyText(surface, how).make(); }

}  // namespace pliant
