#pragma once
// What SurfaceContact is made of.

#include "pliant/contact/barrier.hpp"
#include "pliant/contact/contact_search.hpp"
#include "pliant/contact/surface_contact.hpp"
#include "pliant/core/union_find.hpp"

namespace pliant {

struct SurfaceContact::Parts {
    /// No load closes more of a pair's reach than this: it makes the pair stiffer.
    static constexpr double bearable = 0.5;
    /// A pair that is made stiffer is made so by this factor more, so that it happens once.
    static constexpr double spare = 2;

    SurfaceContactOptions options;
    std::function<bool(int a, int b)> excluded;

    // surface_contact.cpp
    void begin(std::span<const ContactSurface> surfaces, std::span<const ContactPlane> planes, double dt, double step,
               Threads& threads);
    void aim(std::span<const std::span<const Vec3>> velocity, Threads& threads);
    void add_rates(std::span<const int> group, std::span<const double> share, std::span<double> rate) const;
    bool advance(std::span<const std::span<const Vec3>> velocity, std::span<const char> cut, Threads& threads);
    double share(int system, int node) const;
    void limit(Threads& threads);
    void finish();
    void renumber(int owner, std::span<const int> vertex);
    void reset();

    // contact_rows.cpp
    std::span<const Coupling> rows(const ResistanceOf& resistance, bool last);

    enum class Kind : unsigned char { vertex_face, edge_edge, vertex_plane };
    /// Features that may meet: two of the surfaces, or a vertex and a plane.
    struct Candidate {
        Kind kind;
        int a, b;
        std::array<int, 4> point;  ///< −1 behind the vertex of a plane
        float distance;            ///< d̂ of the pair, m
    };
    /// Where a candidate is nearest, from a configuration of all points.
    struct Nearest {
        std::array<double, 4> coefficient{};
        Vec3 normal = Vec3::Zero();  ///< unit, towards the first feature
        double gap = 0;              ///< m
    };
    /// A pair that pushes, or would if it came nearer. Its gap is a linear function of positions, n·Σ c x; its force,
    /// of that gap, is linearised where the next solution is expected.
    struct Push {
        Kind kind = Kind::vertex_face;
        int a = 0, b = 0;
        std::array<int, 4> point{};
        std::array<double, 4> coefficient{};
        Vec3 normal = Vec3::Zero();
        Barrier barrier;
        double start = 0;              ///< gap at the start of the step, m
        double borne = 0;              ///< load at the end of the last step, N
        double least_stiffness = 0;    ///< that a load in this step asked for, N/m
        double inertia = 0;            ///< mass that it holds apart, its part where several pairs do, kg
        double friction = 0;           ///< μ of the pair
        bool impact = false;           ///< nothing is known yet of the load that the next solution asks for
        double approach = 0;           ///< how far it would have gone on closing had the line search not ended, m
        double gap = 0;                ///< where its law is linearised, m
        double force = 0, slope = 0;   ///< of the linearised law there, N and N/m
        double load = 0;               ///< what it bears in the last solution, N
        double tangent_stiffness = 0;  ///< of stick, N/m
        Vec3 memory = Vec3::Zero();    ///< force that friction remembers, N
        double reached = 0;            ///< gap in the last solution, m
        Vec3 moved = Vec3::Zero();     ///< displacement beside each other in the last solution, m
        double aim_gap = 0;            ///< the same two in the next one
        Vec3 aim_moved = Vec3::Zero();
        Vec3 rub = Vec3::Zero();       ///< friction there as Coulomb's law has it, N
        Vec3 foreseen = Vec3::Zero();  ///< friction there as the next solve has it, N
        Mat3 tangent = Mat3::Zero();   ///< minus the derivative of that by the displacement, N/m
        Vec3 along = Vec3::Zero();     ///< direction in which it goes on sliding; zero: none
        bool solved = false;           ///< it was in a solve
        /// A solution led its features past each other, where its normal says nothing any more: it does not push
        /// unless they meet. If they do it pushes to the end of the step.
        bool away = false, returned = false;
        bool sliding = false, fresh = false;
    };

    /// Lists of pairs are sorted by it.
    template <class P>
    static std::array<int, 3> order(const P& pair) {
        return {static_cast<int>(pair.kind), pair.a, pair.b};
    }

    void gather(Threads& threads);
    void prepare_search(Threads& threads);
    void set_targets(std::span<const std::span<const Vec3>> velocity, Threads& threads);
    /// Of features of one piece, or of different ones and planes.
    enum class Where { within, between };
    void find_candidates(Where where, Threads& threads);
    void keep_listed(std::vector<Candidate>& out, Threads& threads);
    void add_planes(std::vector<Candidate>& out) const;
    bool listed(std::span<const Vec3> points, const std::vector<Vec3>& there) const;
    void list_near(Threads& threads);
    void list_met(Threads& threads);
    void link_systems();
    float pair_distance(Kind kind, const std::array<int, 4>& point) const;
    Nearest nearest(const Candidate& c, std::span<const Vec3> points) const;
    Nearest nearest_at(const Candidate& c, double time) const;
    double kept_gap(double gap, double distance) const;
    /// Nearer than any two features come that were once apart.
    bool touching(double gap, double distance) const { return !(gap > 1e-3 * options.least * distance); }
    Push push_of(const Candidate& c, const Nearest& at) const;
    bool within(const Candidate& c) const { return c.point[3] >= 0 && part_[c.point[0]] == part_[c.point[3]]; }
    /// Where a candidate goes: beside its piece, or straight in space.
    std::span<const Vec3> end_of(const Candidate& c) const { return within(c) ? search_.side() : target_; }
    double time_of_impact(const Candidate& c, std::span<const Vec3> end) const;
    void look_ahead(Threads& threads);
    static Candidate features_of(const Push& pair) {
        return {pair.kind, pair.a, pair.b, pair.point, static_cast<float>(pair.barrier.distance)};
    }
    void push_where_met(Push& pair, const Nearest& at) const;
    bool settle(std::span<const char> cut, Threads& threads);
    bool add_met(Threads& threads);
    int system_of(const Push& pair) const;
    Vec3 rub_at(const Push& pair, const Vec3& moved) const;
    double gap_at(const Push& pair, const std::vector<Vec3>& points) const;

    const NodeResistance& resistance_of(const ResistanceOf& resistance, const Coupling::End& end);
    void assign_stiffness(const ResistanceOf& resistance);
    void set_reach(Push& pair) const;
    double stiffness_to_bear(const Push& pair, double load) const;
    void linearise(Push& pair) const;
    void set_friction(Push& pair) const;
    void slow_down(Push& pair) const;
    Coupling row_of(const Push& pair) const;
    void add_ends(const Push& pair, Coupling& row) const;
    Vec3 displacement(const Push& pair) const;
    Vec3 expected_displacement(const Push& pair) const;
    std::array<std::int32_t, 5> key_of(const Push& pair) const;
    bool remembered(const Push& pair) const;
    void recall();

    int surface_of(int point) const { return search_.mesh().body[point]; }
    int local(int point) const { return point - search_.mesh().first_point[surface_of(point)]; }
    bool given(int point) const { return surfaces_[surface_of(point)].system < 0; }
    FourPoints four(std::span<const Vec3> of, const std::array<int, 4>& point) const {
        return {of[point[0]], of[point[1]], of[point[2]], of[point[3]]};
    }

    double dt_ = 0, step_ = 0;  // s
    std::vector<ContactSurface> surfaces_;
    std::vector<ContactPlane> planes_;
    std::vector<int> surface_of_system_;
    ContactSearch search_;
    std::vector<FeaturePair> pairs_;
    std::vector<int> first_point_;                                   // per surface
    std::vector<std::array<std::uint64_t, 3>> meshed_, meshed_now_;  // revision and sizes of the surfaces searched
    std::vector<Vec3> start_, target_;                               // all points, m
    std::vector<Vec3> rest_;       // all points; where surfaces have no rest shape, zero
    std::vector<int> part_;        // per point: its part among those of all surfaces; −1: it stays
    std::vector<int> first_part_;  // per surface
    double slack_ = 0;             // m: points may be so far from where a search thought they would go
    /// What a search found, and for which way.
    struct Searched {
        std::vector<Candidate> candidates;
        std::vector<Vec3> from, to;  // all points, m; empty: there was none
    };
    /// Pieces are seen as they were at the start of that search.
    Searched within_, between_;
    std::vector<RigidMotion> carried_;          // per piece: from there to the start of this step
    bool starts_within_ = false;                // seen from there, points start where that search did
    std::vector<Vec3> seen_;                    // ends of the way as seen from there, m
    std::vector<Candidate> candidates_;         // of both
    std::vector<std::vector<Candidate>> kept_;  // per chunk of pairs
    std::vector<std::array<int, 2>> links_;     // systems that pushed each other in some solve of this step
    struct Ahead {
        double time;  // of impact, as a share of the way; 1: none
        bool near;    // nearer than the contact distance at the end of the way
    };
    std::vector<Ahead> ahead_;  // per candidate, or per pair that pushes
    std::vector<Push> pushes_, met_;
    std::vector<Coupling> rows_;
    UnionFind together_;                                   // parts that move by the same share
    std::vector<double> part_share_;                       // per part
    std::vector<std::vector<NodeResistance>> resistance_;  // per system and node; mass 0: not asked for yet
    std::vector<std::vector<double>> load_, load_now_;     // per system and node: stiffness that pairs share, kg; the
                                                           // most of the step, and now
    std::vector<PairMemory> memory_, memory_before_;
    std::vector<std::pair<std::array<std::int32_t, 5>, int>> by_key_;  // pushes in the order of their memories
    std::vector<ContactForce> forces_;
    SurfaceContactStats stats_;
};

}  // namespace pliant
