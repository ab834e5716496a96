#pragma once
// What SurfaceContact is made of.

#include "pliant/contact/barrier.hpp"
#include "pliant/contact/contact_search.hpp"
#include "pliant/contact/surface_contact.hpp"
#include "pliant/core/union_find.hpp"

namespace pliant {

struct SurfaceContact::Parts {
    SurfaceContactOptions options;
    std::function<bool(int a, int b)> excluded;

    void begin(std::span<const ContactSurface> surfaces, std::span<const ContactPlane> planes, double dt,
               const Vec3& kick, Threads& threads);
    std::span<const Coupling> rows(const ResistanceOf& resistance);
    double energy_at(std::span<const std::span<const Vec3>> velocity) const;
    bool advance(std::span<const std::span<const Vec3>> velocity, Threads& threads);
    double share(int system, int node) const;
    bool untouched(int system) const;
    void for_each_link(const std::function<void(int a, int b)>& f) const;
    void save();
    void restore();
    void finish(const ResistanceOf& resistance);
    void renumber(int owner, std::span<const int> vertex);
    void reset();

    enum class Kind : unsigned char { vertex_face, edge_edge, vertex_plane };
    /// Features that may meet: two of the surfaces, or a vertex and a plane.
    struct Candidate {
        Kind kind;
        int a, b;
        std::array<int, 4> point;  ///< −1 behind the vertex of a plane
        float distance;            ///< d̂ of the pair, m; 0: it does not push
    };
    /// A pair nearer than its contact distance at the iterate.
    struct Near {
        Kind kind = Kind::vertex_face;
        int a = 0, b = 0;
        std::array<int, 4> point{};
        std::array<double, 4> coefficient{};
        Vec3 normal = Vec3::Zero();    ///< unit, towards the first feature
        double gap = 0;                ///< m
        double friction = 0;           ///< μ of the pair
        Barrier barrier;               ///< without stiffness: nothing that it pushes can move
        double force = 0;              ///< normal, N
        double slope = 0;              ///< how fast the solve lets it fall with the gap, N/m
        double tangent_stiffness = 0;  ///< of stick, N/m
        Vec3 memory = Vec3::Zero();    ///< force that friction remembers, N
        Vec3 moved = Vec3::Zero();     ///< displacement beside each other since the start of the step, m
        Vec3 rub = Vec3::Zero();       ///< friction at the iterate, N
        Mat3 tangent = Mat3::Zero();   ///< minus its derivative by the relative displacement, N/m
        bool sliding = false, fresh = false;
    };

    /// A pair that the last solution would have let through, though it is not near yet. It takes part in the next
    /// solve as a spring that stops it in time, so that one iteration sees all that stands in the way and not the next
    /// obstacle alone.
    struct Impending {
        Near pair;             ///< geometry at the time of impact; `gap` is not used
        double wanted = 0;     ///< gap that the spring keeps, m
        double shift = 0;      ///< added to it for what the last springs let through, m
        double most = 0;       ///< of the shift, m: what it was to stop when it was found
        double stiffness = 0;  ///< N/m
    };

    void gather(Threads& threads);
    void prepare_search(Threads& threads);
    void find_candidates(Threads& threads);
    float pair_distance(Kind kind, const std::array<int, 4>& point) const;
    void find_near(Threads& threads);
    bool look_at(const Candidate& candidate, Near& out) const;
    double kept_gap(double gap, double distance) const;
    /// Nearer than any two features come that were once apart.
    bool touching(double gap, double distance) const { return !(gap > 1e-3 * options.least * distance); }
    double time_of_impact(const Candidate& candidate) const;
    void limit_parts(Threads& threads);
    void foresee();
    double gap_at(const Near& pair, const std::vector<Vec3>& points) const;
    bool changed_since() const;

    void assign_stiffness(const ResistanceOf& resistance);
    void set_friction(Near& pair, const Near* before) const;
    Coupling row_of(const Near& pair) const;
    Coupling row_of(const Near& pair, double force, const Mat3& stiffness) const;
    void add_ends(const Near& pair, Coupling& row) const;
    Vec3 displacement(const Near& pair) const;
    std::array<std::int32_t, 4> anchor_key(const Near& pair) const;
    const TangentAnchor* anchor_of(const Near& pair) const;
    void recall_friction();

    int surface_of(int point) const { return search_.mesh().body[point]; }
    int local(int point) const { return point - search_.mesh().first_point[surface_of(point)]; }
    bool given(int point) const { return surfaces_[surface_of(point)].system < 0; }
    FourPoints four(const std::vector<Vec3>& of, const std::array<int, 4>& point) const {
        return {of[point[0]], of[point[1]], of[point[2]], of[point[3]]};
    }

    double dt_ = 0;
    std::vector<ContactSurface> surfaces_;
    std::vector<ContactPlane> planes_;
    std::vector<int> surface_of_system_;
    ContactSearch search_;
    std::vector<FeaturePair> pairs_;
    std::vector<int> first_point_;                                   // per surface
    std::vector<std::array<std::uint64_t, 3>> meshed_, meshed_now_;  // revision and sizes of the surfaces searched
    std::vector<Vec3> start_, now_, target_;                         // all points, m
    std::vector<Vec3> rest_;       // all points; where surfaces have no rest shape, zero
    std::vector<int> part_;        // per point: its part among those of all surfaces; −1: it stays
    std::vector<int> first_part_;  // per surface
    std::vector<Candidate> candidates_;
    std::vector<std::array<int, 2>> links_;  // systems that had candidates in some iteration of this step
    std::vector<std::vector<Near>> found_;   // per chunk of candidates
    std::vector<std::vector<Candidate>> kept_;
    std::vector<Near> near_, before_, saved_near_, saved_before_;
    std::vector<Vec3> saved_now_;
    std::vector<Impending> impending_, impending_before_;
    double pushed_ = 0, pulled_ = 0;  // by the springs of the last solve, N
    std::vector<Coupling> rows_;
    UnionFind together_;              // parts that move by the same share
    std::vector<double> time_;        // per candidate
    std::vector<double> part_share_;  // per part
    std::vector<char> part_met_;      // per part: it has candidates
    std::vector<std::vector<double>>
        load_;  // per system and node: stiffness that pairs share, kg; the most of the step
    std::vector<std::vector<double>> load_now_;
    std::vector<TangentAnchor> anchors_;
    std::vector<ContactForce> forces_;
    SurfaceContactStats stats_;
};

}  // namespace pliant
