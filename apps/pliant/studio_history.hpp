#pragma once
// What a session went through: every frame in the form run directories have, and the state that led on from it.

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "pliant/io/frame_file.hpp"

namespace pliant {

class History {
public:
    /// budget: bytes kept; beyond it the oldest frames are forgotten.
    explicit History(std::size_t budget) : budget_(budget) {}

    void begin(const RunInfo& info);
    /// Frames come with rising index. `state`: what Simulation::save() gave.
    void add(const Frame& frame, std::string state);
    /// Forgets what came after a frame: the session goes on from there.
    void cut_after(int index);

    bool empty() const { return entries_.empty(); }
    int first() const { return entries_.empty() ? 0 : entries_.front()->index; }
    int last() const { return entries_.empty() ? 0 : entries_.back()->index; }
    bool has(int index) const { return !entries_.empty() && index >= first() && index <= last(); }
    double time(int index) const { return at(index).time; }
    std::size_t bytes() const { return bytes_; }

    Frame load(int index) const;
    const std::string& state(int index) const { return at(index).state; }

    /// Writes all frames as a run directory. UserError when that fails.
    void save(const std::filesystem::path& directory) const;

private:
    struct Entry {
        int index;
        double time;
        std::string bytes, state;
        std::vector<TopologyNames> names;
        std::vector<std::shared_ptr<const SurfaceAttributes>> attributes;  ///< per body
        std::uint64_t size() const { return bytes.size() + state.size(); }
    };
    template <class Element>
    struct Kept {
        Topology<Element> elements;
        std::uint64_t digest = 0;
    };
    const Entry& at(int index) const { return *entries_[static_cast<std::size_t>(index - first())]; }
    template <class Element>
    std::uint64_t keep(const Topology<Element>& elements, Kept<Element>& last,
                       std::map<std::uint64_t, Topology<Element>>& all);

    std::size_t budget_;
    std::size_t bytes_ = 0;
    RunInfo info_;
    std::deque<std::shared_ptr<const Entry>> entries_;  // shared with copies of this history
    std::map<std::string, std::tuple<Kept<Tri>, Kept<Tet>, Kept<Point>>> latest_;
    std::map<std::uint64_t, Topology<Tri>> triangles_;
    std::map<std::uint64_t, Topology<Tet>> tets_;
    std::map<std::uint64_t, Topology<Point>> carriers_;
};

}  // namespace pliant
