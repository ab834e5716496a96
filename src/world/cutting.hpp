#pragma once
// Knives in a world: when they cut which body, and how far each has gone.

#include <cstdint>
#include <functional>
#include <vector>

#include "pliant/core/bytes.hpp"
#include "pliant/core/error.hpp"
#include "pliant/cut/cut_sheet.hpp"

namespace pliant {

struct World;

/// One cut. A blade that takes its time is fixed in the material when it starts: from then on the plane goes with the
/// body, and only how far it has come is given by the time. Elements part when the blade has gone all the way through
/// them.
struct CutStroke {
    int body = 0;
    SheetShape sheet;
    /// Instead of a sheet: signed distance from a surface, m; the cut is where it is zero at the nodes, straight
    /// between.
    std::function<double(const Vec3&)> distance = {};
    bool carves = false;                      ///< of a surface: what is inside is taken away
    double at = 0;                            ///< s: the first step that starts then or later
    double duration = 0;                      ///< s in which a blade goes along its path; 0: at once
    std::function<bool(double t)> when = {};  ///< asked from `at` on, and cuts when it says so; empty: at once
    Where where = {};                         ///< who asked for it, for mistakes

    enum class Stage : std::uint8_t { waiting, cutting, done };
    Stage stage = Stage::waiting;                       ///< state
    double start = 0;                                   ///< state: when it started, s
    double unit = 0;                                    ///< state: of the whole numbers, m
    std::vector<std::vector<std::int64_t>> value = {};  ///< state: of the sheet's planes at the nodes, while it cuts
    int elements = 0;                                   ///< state: cut so far
};

void save_state(const CutStroke& stroke, ByteWriter& out);
void load_state(CutStroke& stroke, ByteReader& in);

/// Before a step: what knives do at its start.
void make_cuts(World& w);

}  // namespace pliant
