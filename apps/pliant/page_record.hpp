#pragma once
// A run as bytes for a page that plays it without a server (web/record.js reads them).
//
// Layout: "PLRC", the length of a JSON header (u32), the header, blanks up to a multiple of 4, then arrays that the
// header names by [byte offset after the header, number of items, …]. The whole is compressed afterwards, so that
// arrays are written as differences that are small, least significant bytes first and the others behind all of them.
//
// A body is told in spans: frames in which nothing but positions and fields changes. Of a body that hangs on a tet mesh
// the nodes are told and what the surface hangs on them by; of one that moves without bending, its pose. Positions are
// multiples of 1/20000 of the body's largest side at the start of a span; a span ends when the body has become three
// times as large. Values of fields are 256ths of what they span in a frame.

#include <string>
#include <string_view>
#include <vector>

#include "page_looks.hpp"
#include "pliant/world/frame.hpp"

namespace pliant {

/// Made frame by frame; every frame has the same bodies in the same order.
class PageRecord {
public:
    explicit PageRecord(const RunInfo& info) : info_(info) {}
    void add(const Frame& frame);

    /// All of it. `about` are entries of the header that are JSON already, such as "\"name\": \"cow\"".
    /// sound: samples of `channels` interleaved, or none.
    std::string bytes(const std::vector<std::string>& about, const std::vector<std::int16_t>& sound, int channels,
                      int rate) const;
    int frame_count() const { return static_cast<int>(times_.size()); }

private:
    /// Positions that change from frame to frame, as whole numbers of `quantum`.
    struct Motion {
        double quantum = 0;              ///< m
        std::vector<Vec3> centre;        ///< per frame, m: a multiple of the quantum
        std::vector<int> order;          ///< per frame: predicted from so many frames before
        std::vector<std::int16_t> last;  ///< codes of the last frame …
        std::vector<std::int16_t> before;
        std::string low, high;  ///< bytes of the differences
        std::size_t count = 0;  ///< numbers per frame
    };
    struct FieldCodes {
        std::string name, unit;
        Field::On on = Field::On::node;
        std::vector<float> low, high;  ///< per frame
        std::string codes;
        std::size_t count = 0;  ///< values per frame
    };
    struct Span {
        std::size_t first = 0, frames = 0;
        bool same_topology = false;  ///< as the span before
        std::shared_ptr<const std::vector<Tri>> triangles;
        std::shared_ptr<const std::vector<Tet>> tets;
        std::shared_ptr<const std::vector<Point>> carriers;
        std::shared_ptr<const SurfaceAttributes> attributes;  ///< null: nothing was brought
        std::vector<std::uint32_t> crack, piece;
        Motion points, nodes;
        bool hangs = false;  ///< the surface is where its carriers say
        bool rigid = false;
        std::vector<Vec3> rest;     ///< of a body that does not bend, about its centroid
        std::vector<double> poses;  ///< 12 per frame: rotation row by row, then translation; one when it stands still
        std::vector<FieldCodes> fields;
    };
    struct BodySpans {
        std::string name, kind;
        Vec3 color = Vec3::Zero();
        std::vector<Span> spans;
        std::vector<double> volume;  ///< enclosed by the surface, m³, per frame
    };

    static bool begin_motion(Motion& motion, const std::vector<Vec3>& points);
    static bool add_motion(Motion& motion, const std::vector<Vec3>& points);
    bool continues(const Span& span, const BodyFrame& body) const;
    Span begin_span(const BodyFrame& body, const Span* before) const;
    static bool add_positions(Span& span, const BodyFrame& body);
    static bool add_fields(Span& span, const BodyFrame& body);

    RunInfo info_;
    std::vector<int> indices_;
    std::vector<double> times_;
    std::map<std::string, std::vector<std::pair<std::size_t, double>>> measures_;  ///< frame, value
    std::vector<BodySpans> bodies_;
};

}  // namespace pliant
