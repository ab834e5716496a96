#include "pliant/meshing/voronoi_piece.hpp"

#include <algorithm>
#include <utility>

#include "pliant/mesh/tet_mesh.hpp"

namespace pliant {

void PieceCutter::start(VoronoiPiece& piece, const std::array<int, 4>& order) const {
    piece.weight.assign(4, CornerValues{});
    for (int i = 0; i < 4; ++i) piece.weight[i][i] = 1;
    piece.loop.clear(), piece.label.clear();
    piece.loop_begin.assign(1, 0);
    for (int f = 0; f < 4; ++f) {
        for (int v : tet_faces[f]) piece.loop.push_back(order[v]);
        piece.loop_begin.push_back(static_cast<int>(piece.loop.size()));
        piece.label.push_back(~f);
    }
}

int PieceCutter::crossing(const VoronoiPiece& piece, int in, int out) {
    const int low = std::min(in, out), high = std::max(in, out);
    for (const Crossing& c : crossings_)
        if (c.low == low && c.high == high) return c.vertex;
    const double a = value_[in], b = value_[out];  // a ≥ 0 ≥ b, not both 0
    CornerValues w;
    if (a == 0)
        w = piece.weight[in];
    else if (b == 0)
        w = piece.weight[out];
    else {
        const double t = a / (a - b);
        for (int k = 0; k < 4; ++k) w[k] = piece.weight[in][k] + t * (piece.weight[out][k] - piece.weight[in][k]);
    }
    weight_.push_back(w);
    crossings_.push_back({low, high, static_cast<int>(weight_.size()) - 1});
    return crossings_.back().vertex;
}

bool PieceCutter::cut(VoronoiPiece& piece, const CornerValues& value, bool keep_zero, int label) {
    const std::size_t n = piece.weight.size();
    value_.resize(n), kept_.resize(n);
    std::size_t in = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const CornerValues& w = piece.weight[i];
        value_[i] = w[0] * value[0] + w[1] * value[1] + w[2] * value[2] + w[3] * value[3];
        kept_[i] = value_[i] > 0 || (keep_zero && value_[i] == 0);
        in += kept_[i];
    }
    if (in == n) return false;
    if (in == 0) {
        piece.weight.clear(), piece.loop.clear(), piece.label.clear();
        piece.loop_begin.assign(1, 0);
        return true;
    }
    weight_.clear(), loop_.clear(), label_.clear(), crossings_.clear(), next_.clear();
    loop_begin_.assign(1, 0);
    renumbered_.assign(n, -1);
    for (std::size_t i = 0; i < n; ++i)
        if (kept_[i]) renumbered_[i] = static_cast<int>(weight_.size()), weight_.push_back(piece.weight[i]);
    const int old_vertices = static_cast<int>(weight_.size());

    // Faces lose what is cut off. Where a face is left at `exit` and entered again at `entry`, its new edge runs from
    // exit to entry, and the rim of the cut from entry to exit. A face that rounding has bent may be left twice.
    auto rim = [&](int entry, int exit) {
        next_.resize(weight_.size() - old_vertices, -1);
        next_[entry - old_vertices] = exit;
    };
    for (std::size_t f = 0; f < piece.faces(); ++f) {
        const int begin = piece.loop_begin[f], end = piece.loop_begin[f + 1];
        int exit = -1, first_entry = -1;
        for (int i = begin; i < end; ++i) {
            const int u = piece.loop[i], v = piece.loop[i + 1 == end ? begin : i + 1];
            if (kept_[u]) loop_.push_back(renumbered_[u]);
            if (kept_[u] == kept_[v]) continue;
            if (kept_[u]) {
                exit = crossing(piece, u, v);
                loop_.push_back(exit);
            } else {
                const int entry = crossing(piece, v, u);
                loop_.push_back(entry);
                if (exit >= 0)
                    rim(entry, exit), exit = -1;
                else
                    first_entry = entry;
            }
        }
        if (first_entry >= 0) rim(first_entry, exit);
        if (static_cast<int>(loop_.size()) > loop_begin_.back()) {
            loop_begin_.push_back(static_cast<int>(loop_.size()));
            label_.push_back(piece.label[f]);
        }
    }
    // Every cut edge is walked once in each direction, so each crossing has one successor: the rim is closed loops.
    for (std::size_t start = 0; start < next_.size(); ++start) {
        if (next_[start] < 0) continue;
        for (int c = static_cast<int>(start); next_[c] >= 0;) {
            loop_.push_back(c + old_vertices);
            const int to = next_[c] - old_vertices;
            next_[c] = -1;
            c = to;
        }
        loop_begin_.push_back(static_cast<int>(loop_.size()));
        label_.push_back(label);
    }
    std::swap(piece.weight, weight_), std::swap(piece.loop, loop_);
    std::swap(piece.loop_begin, loop_begin_), std::swap(piece.label, label_);
    return true;
}

double fraction(const VoronoiPiece& piece, const std::array<int, 4>& order) {
    if (piece.empty()) return 0;
    auto at = [&](int v) { return Vec3(piece.weight[v][1], piece.weight[v][2], piece.weight[v][3]); };
    const Vec3 apex = at(0);
    double six = 0;
    for (std::size_t f = 0; f < piece.faces(); ++f) {
        const int begin = piece.loop_begin[f], end = piece.loop_begin[f + 1];
        const Vec3 a = at(piece.loop[begin]) - apex;
        for (int i = begin + 1; i + 1 < end; ++i)
            six += a.dot((at(piece.loop[i]) - apex).cross(at(piece.loop[i + 1]) - apex));
    }
    // Sorting the corners may have mirrored the tet.
    int swaps = 0;
    for (int i = 0; i < 4; ++i)
        for (int j = i + 1; j < 4; ++j) swaps += order[i] > order[j];
    return swaps % 2 == 0 ? six : -six;
}

}  // namespace pliant
