// Six per part of the mesh that nothing holds; fewer where some nodes are held.

#include "pliant/core/union_find.hpp"
#include "pliant/modal/decompose.hpp"
#include "pliant/solve/dense.hpp"

namespace pliant {

namespace {

// Parts that share no node. Returns the part of each node, numbered in the order of their first node.
std::vector<int> parts_of(const ModalSystem& s, int& count) {
    UnionFind parts(static_cast<int>(s.rest.size()));
    for (const Tet& t : s.tets)
        for (int k = 1; k < 4; ++k) parts.join(t[0], t[k]);
    std::vector<int> part;
    count = parts.number(part);
    return part;
}

}  // namespace

Eigen::MatrixXd rigid_motions(const ModalSystem& s, int* parts) {
    int count = 0;
    const std::vector<int> part = parts_of(s, count);
    if (parts) *parts = count;
    std::vector<std::vector<int>> members(count);
    for (int i = 0; i < s.nodes(); ++i) members[part[i]].push_back(i);
    Threads one(1);
    std::vector<Eigen::VectorXd> found;
    for (const std::vector<int>& nodes : members) {
        Vec3 centre = Vec3::Zero();
        for (int i : nodes) centre += s.rest[i];
        centre /= static_cast<double>(nodes.size());
        double size = 0;
        for (int i : nodes) size = std::max(size, (s.rest[i] - centre).norm());
        if (!(size > 0)) continue;  // a stray node without elements has no mass and moves nowhere
        Eigen::MatrixXd motion = Eigen::MatrixXd::Zero(3 * s.nodes(), 6);
        Eigen::MatrixXd held(0, 6);
        for (int i : nodes) {
            Eigen::Matrix<double, 3, 6> row;
            const Vec3 r = (s.rest[i] - centre) / size;
            row << Mat3::Identity(), Vec3::UnitX().cross(r), Vec3::UnitY().cross(r), Vec3::UnitZ().cross(r);
            for (int axis = 0; axis < 3; ++axis) {
                motion.row(3 * i + axis) = row.row(axis);
                if (!s.fixed.empty() && s.fixed[3 * i + axis]) {
                    held.conservativeResize(held.rows() + 1, 6);
                    held.row(held.rows() - 1) = row.row(axis);
                    motion.row(3 * i + axis).setZero();
                }
            }
        }
        Eigen::MatrixXd free = Eigen::MatrixXd::Identity(6, 6);
        if (held.rows() > 0) free = null_space(held, 1e-9);
        motion = (motion * free).eval();
        for (int c = 0; c < motion.cols(); ++c) found.push_back(motion.col(c));
    }
    Eigen::MatrixXd z(3 * s.nodes(), static_cast<Eigen::Index>(found.size()));
    for (std::size_t c = 0; c < found.size(); ++c) z.col(static_cast<Eigen::Index>(c)) = found[c];
    if (z.cols() == 0) return z;
    // M-orthonormal by two rounds of Gram–Schmidt through Cholesky; parts do not mix because their rows differ.
    for (int round = 0; round < 2; ++round) {
        MultiVector x, mx;
        x.resize(static_cast<int>(z.rows()), static_cast<int>(z.cols()));
        for (int i = 0; i < z.rows(); ++i)
            for (int c = 0; c < z.cols(); ++c) x.row(i)[c] = z(i, c);
        multiply_mass(s, x, mx, one);
        Eigen::MatrixXd g = Eigen::MatrixXd::Zero(z.cols(), z.cols());
        for (int i = 0; i < z.rows(); ++i)
            for (int c = 0; c < z.cols(); ++c)
                for (int d = 0; d < z.cols(); ++d) g(c, d) += z(i, c) * mx.row(i)[d];
        z = times_inverse_root(z, g);
    }
    return z;
}

}  // namespace pliant
