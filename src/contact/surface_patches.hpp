#pragma once
// A surface cut into patches of a few triangles, and what can be told about distances between neighbouring ones without
// looking at any pair of features.
//
// Around a patch the surface is nearly an affine image of its shape at rest: x = A X + a, but for δ at most. Points
// between corners deviate no more than corners do, so that features which are r apart at rest are now at least
// σ r − 2δ apart, σ the least stretch of A. Where that exceeds the contact distance for the nearest features of two
// neighbouring patches, none of theirs can touch: a finely tessellated body that is not folded costs a pass over its
// points.

#include <span>
#include <vector>

#include "pliant/collision/feature_pairs.hpp"
#include "pliant/core/threads.hpp"

namespace pliant {

class SurfacePatches {
public:
    /// Of the faces [begin, end) of the mesh. `shape`: points of the mesh at rest; `part`: per point. With `within`
    /// distances at rest are found, of features that are farther apart there than `least`.
    SurfacePatches(const FeatureMesh& mesh, int begin, int end, std::span<const Vec3> shape, std::span<const int> part,
                   bool within, double least, Threads& threads);

    int count() const { return static_cast<int>(first_.size()) - 1; }
    std::span<const int> faces(int patch) const { return slice(faces_, first_, patch); }

    /// A patch that shares a vertex with this one or comes after it in its list, or this one itself.
    struct Neighbour {
        int patch;
        double apart;  ///< least distance at rest of features that share no point, m
    };
    /// Those with numbers from the patch's own on, ascending.
    std::span<const Neighbour> neighbours(int patch) const { return slice(neighbours_, first_neighbour_, patch); }
    bool adjacent(int a, int b) const;

    /// Around a patch, during the motion: least stretch, and how far points are from an affine image.
    struct Fit {
        double stretch, off;
    };
    /// All points at the start and the end of their ways, which are straight.
    Fit fit(int patch, std::span<const Vec3> start, std::span<const Vec3> end) const;

private:
    template <class T>
    static std::span<const T> slice(const std::vector<T>& of, const std::vector<int>& first, int i) {
        return std::span(of).subspan(static_cast<std::size_t>(first[i]),
                                     static_cast<std::size_t>(first[i + 1] - first[i]));
    }
    void cut(const FeatureMesh& mesh, std::span<const Vec3> shape, std::span<const int> part);
    void find_neighbours(const FeatureMesh& mesh);
    void measure_rest(const FeatureMesh& mesh, std::span<const Vec3> shape, double least, Threads& threads);
    void surround(const FeatureMesh& mesh, std::span<const Vec3> shape, Threads& threads);

    std::vector<int> faces_, first_;
    std::vector<Neighbour> neighbours_;
    std::vector<int> first_neighbour_;
    /// Points of a patch and of all around it, with their places at rest in the principal axes of the set.
    struct Around {
        Vec3 rest;
        int point;
    };
    std::vector<Around> around_;
    std::vector<int> first_around_;
    std::vector<Vec3> moments_;  ///< per patch: sums of squares along the axes, m²
};

}  // namespace pliant
