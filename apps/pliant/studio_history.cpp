#include "studio_history.hpp"

#include "pliant/core/error.hpp"
#include "pliant/io/sink_list.hpp"

namespace pliant {

void History::begin(const RunInfo& info) {
    info_ = info;
    entries_.clear();
    latest_.clear(), triangles_.clear(), tets_.clear();
    bytes_ = 0;
}

template <class Element>
std::uint64_t History::keep(const Topology<Element>& elements, Kept<Element>& last,
                            std::map<std::uint64_t, Topology<Element>>& all) {
    if (!elements) return 0;
    if (elements == last.elements) return last.digest;  // frames share what did not change
    last = {elements, topology_digest(*elements)};
    all.emplace(last.digest, elements);
    return last.digest;
}

void History::add(const Frame& frame, std::string state) {
    CHECK(entries_.empty() || frame.index == last() + 1, frame.index, last());
    Entry entry{frame.index, frame.time, {}, std::move(state), {}, {}};
    for (const BodyFrame& body : frame.bodies) {
        auto& [triangles, tets, carriers] = latest_[body.name];
        entry.names.push_back({keep(body.triangles, triangles, triangles_), keep(body.tets, tets, tets_),
                               keep(body.carriers, carriers, carriers_)});
        entry.attributes.push_back(body.attributes);
    }
    entry.bytes = encode_frame(frame, info_, entry.names);
    bytes_ += entry.size();
    entries_.push_back(std::make_shared<const Entry>(std::move(entry)));
    while (bytes_ > budget_ && entries_.size() > 2) bytes_ -= entries_.front()->size(), entries_.pop_front();
}

void History::cut_after(int index) {
    while (!entries_.empty() && last() > index) bytes_ -= entries_.back()->size(), entries_.pop_back();
}

Frame History::load(int index) const {
    const Entry& entry = at(index);
    Frame frame = decode_frame(entry.bytes, "frame " + std::to_string(index)).frame;
    for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
        if (entry.names[b].triangles) frame.bodies[b].triangles = triangles_.at(entry.names[b].triangles);
        if (entry.names[b].tets) frame.bodies[b].tets = tets_.at(entry.names[b].tets);
        if (entry.names[b].carriers) frame.bodies[b].carriers = carriers_.at(entry.names[b].carriers);
        frame.bodies[b].attributes = entry.attributes[b];
    }
    return frame;
}

void History::save(const std::filesystem::path& directory) const {
    if (entries_.empty()) throw UserError("there is nothing to save yet", {}, "Let the scene run first");
    auto sinks = make_sinks("frames,csv", directory);
    for (auto& sink : sinks) sink->begin(info_);
    for (const auto& entry : entries_) {
        const Frame frame = load(entry->index);
        for (auto& sink : sinks) sink->write(frame);
    }
    for (auto& sink : sinks) sink->finish();
}

}  // namespace pliant
