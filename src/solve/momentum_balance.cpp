#include "pliant/solve/momentum_balance.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pliant {

namespace {

// In-place LDLᵀ of a dense symmetric matrix within its envelope: rows of bodies that never touch stay empty.
void solve_dense(double* A, double* b, int n) {
    auto at = [&](int i, int j) -> double& { return A[std::size_t(i) * n + j]; };
    for (int i = 0; i < n; ++i) {
        int first = 0;
        while (first < i && at(i, first) == 0) ++first;
        for (int j = first; j < i; ++j) {
            double sum = at(i, j);
            for (int k = first; k < j; ++k) sum -= at(i, k) * at(j, k);  // at(i, k) holds L·D here, at(j, k) holds L
            at(i, j) = sum;
        }
        for (int j = first; j < i; ++j) {
            const double scaled = at(i, j);
            at(i, j) = scaled / at(j, j);
            at(i, i) -= scaled * at(i, j);
        }
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j) b[i] -= at(i, j) * b[j];
    for (int i = 0; i < n; ++i) b[i] /= at(i, i);
    for (int i = n - 1; i >= 0; --i)
        for (int j = i + 1; j < n; ++j) b[i] -= at(j, i) * b[j];
}

int root_of(std::vector<CgScratch::Piece>& pieces, int i) {
    while (pieces[i].root != i) i = pieces[i].root = pieces[pieces[i].root].root;
    return i;
}

/// What each piece weighs, and the momentum it lacks.
void weigh_pieces(std::span<BlockSystem* const> systems, CgScratch& s) {
    s.pieces.clear(), s.first_piece.clear();
    for (const BlockSystem* system : systems) {
        const BlockSystem& a = *system;
        const int first = static_cast<int>(s.pieces.size());
        s.first_piece.push_back(first);
        s.pieces.resize(first + a.parts());
        bool any = false;
        for (int i = first; i < static_cast<int>(s.pieces.size()); ++i) {
            CgScratch::Piece& piece = s.pieces[i];
            piece = {};
            piece.root = i;
            piece.free = !a.is_pinned(i - first);
            piece.missing = a.part.empty() ? a.momentum : a.part_momentum[i - first];
            if (!a.lever.empty()) piece.unknowns = 6, piece.missing_spin = a.part_spin[i - first];
            any |= piece.free;
        }
        if (!any) continue;
        const auto piece_of = [&](int row) -> CgScratch::Piece& { return s.pieces[first + a.part_of(row)]; };
        for (int row = 0; row < a.rows; ++row) {
            CgScratch::Piece& piece = piece_of(row);
            piece.mass += a.inertia[row];
            if (!a.lever.empty()) piece.centre += a.inertia[row] * a.lever[row];
        }
        // Around the centre a translation changes no angular momentum.
        if (!a.lever.empty())
            for (int i = first; i < static_cast<int>(s.pieces.size()); ++i) {
                CgScratch::Piece& piece = s.pieces[i];
                piece.centre /= piece.mass;
                piece.missing_spin -= piece.centre.cross(piece.missing);
            }
        for (int row = 0; row < a.rows; ++row) {
            CgScratch::Piece& piece = piece_of(row);
            const Vec3 had = a.inertia[row] * a.at(a.v, row);
            piece.missing -= had;
            if (a.lever.empty()) continue;
            const Vec3 lever = a.lever[row] - piece.centre;
            piece.missing_spin -= lever.cross(had);
            piece.inertia += a.inertia[row] * (lever.squaredNorm() * Mat3::Identity() - lever * lever.transpose());
        }
    }
}

/// Pieces that couplings connect are solved together: each such group gets a dense matrix of its own.
void group_pieces(std::size_t couplings, CgScratch& s, const auto& piece_of) {
    for (std::size_t k = 0; k < couplings; ++k) {
        int before = -1;
        for (int e = s.end_begin[k]; e < s.end_begin[k + 1]; ++e) {
            const int i = piece_of(s.ends[e]);
            if (!s.pieces[i].free) continue;
            if (before >= 0) {
                const int a = root_of(s.pieces, before), b = root_of(s.pieces, i);
                s.pieces[std::max(a, b)].root = std::min(a, b);
            }
            before = i;
        }
    }
    s.piece_group.assign(s.pieces.size(), 0);  // at each root: unknowns of its group
    for (int i = 0; i < static_cast<int>(s.pieces.size()); ++i) {
        CgScratch::Piece& piece = s.pieces[i];
        piece.root = root_of(s.pieces, i);
        if (!piece.free) continue;
        piece.place = s.piece_group[piece.root];
        s.piece_group[piece.root] += piece.unknowns;
    }
    std::size_t matrix = 0, shift = 0;
    for (int i = 0; i < static_cast<int>(s.pieces.size()); ++i) {
        CgScratch::Piece& piece = s.pieces[i];
        if (!piece.free) continue;
        if (piece.root == i) {
            const auto n = static_cast<std::size_t>(s.piece_group[i]);
            piece.matrix = matrix, piece.shift = shift;
            matrix += n * n, shift += n;
        } else {
            piece.matrix = s.pieces[piece.root].matrix, piece.shift = s.pieces[piece.root].shift;
        }
    }
    s.balance.assign(matrix, 0), s.shift.assign(shift, 0);
}

/// Of a coupling, what one piece has in it: the velocity u changes by weight·shift + turn × lever.
struct Share {
    const CgScratch::Piece* piece;
    double weight;
    Vec3 lever;

    Vec3 by(int unknown) const {
        return unknown < 3 ? Vec3(weight * Vec3::Unit(unknown)) : Vec3(Vec3::Unit(unknown - 3).cross(lever));
    }
};

/// v and r of all rows after the pieces' motions; a translation costs no elastic force.
void translate(BlockSystem& a, const CgScratch& s, int first) {
    for (int row = 0; row < a.rows; ++row) {
        const CgScratch::Piece& piece = s.pieces[first + a.part_of(row)];
        if (!piece.free) continue;
        const Vec3 shift = Eigen::Map<const Vec3>(s.shift.data() + piece.shift + piece.place);
        if (shift.allFinite()) a.add(a.v, row, shift), a.add(a.r, row, -a.inertia[row] * shift);
    }
}

/// A rotation does where the body is stretched.
void translate_and_turn(BlockSystem& a, const SolveKernels& kernels, const CgScratch& s, int first) {
    std::fill_n(a.direction(), 4 * a.padded(), 0.0);
    for (int row = 0; row < a.rows; ++row) {
        const CgScratch::Piece& piece = s.pieces[first + a.part_of(row)];
        if (!piece.free) continue;
        const double* at = s.shift.data() + piece.shift + piece.place;
        const Vec3 shift = Vec3(at[0], at[1], at[2]) + Vec3(at[3], at[4], at[5]).cross(a.lever[row] - piece.centre);
        if (!shift.allFinite()) continue;
        a.add(a.v, row, shift);
        for (int c = 0; c < 3; ++c) a.direction()[4 * std::size_t(row) + c] = shift[c];
    }
    kernels.product(a.slice_begin.data(), a.column.data(), a.block.data(), a.inertia.data(), a.direction(), a.product(),
                    0, a.slices);
    for (int row = 0; row < a.rows; ++row)
        if (!a.prescribed[row]) a.add(a.r, row, -a.at(a.product(), row));
}

}  // namespace

void balance_momentum(std::span<BlockSystem* const> systems, std::span<const Coupling> couplings,
                      const SolveKernels& kernels, CgScratch& s) {
    weigh_pieces(systems, s);
    const auto piece_of = [&](const CgScratch::End& end) {
        return s.first_piece[end.index] + end.system->part_of(end.row);
    };
    group_pieces(couplings.size(), s, piece_of);
    const auto matrix = [&](const CgScratch::Piece& a, int c, const CgScratch::Piece& b, int d) -> double& {
        return s.balance[a.matrix + std::size_t(a.place + c) * s.piece_group[a.root] + b.place + d];
    };
    for (const CgScratch::Piece& piece : s.pieces)
        for (int c = 0; piece.free && c < piece.unknowns; ++c) {
            s.shift[piece.shift + piece.place + c] = c < 3 ? piece.missing[c] : piece.missing_spin[c - 3];
            if (c < 3) matrix(piece, c, piece, c) = piece.mass;
            for (int d = 3; c >= 3 && d < 6; ++d) matrix(piece, c, piece, d) = piece.inertia(c - 3, d - 3);
        }
    for (std::size_t k = 0; k < couplings.size(); ++k) {
        // Few pieces meet in one.
        std::array<Share, Coupling::max_ends> shares;
        int count = 0;
        for (int e = s.end_begin[k]; e < s.end_begin[k + 1]; ++e) {
            const CgScratch::End& end = s.ends[e];
            const CgScratch::Piece* piece = &s.pieces[piece_of(end)];
            if (!piece->free) continue;
            int i = 0;
            while (i < count && shares[i].piece != piece) ++i;
            if (i == count) shares[count++] = {piece, 0.0, Vec3::Zero()};
            shares[i].weight += end.weight;
            if (piece->unknowns == 6) shares[i].lever += end.weight * (end.system->lever[end.row] - piece->centre);
        }
        for (int i = 0; i < count; ++i) {
            const CgScratch::Piece& mine = *shares[i].piece;
            for (int c = 0; c < mine.unknowns; ++c) {
                const Vec3 by = shares[i].by(c), force = couplings[k].S * by;
                // s.impulse still holds s − S u at the v that conjugate gradients reached.
                s.shift[mine.shift + mine.place + c] += by.dot(s.impulse[k]);
                for (int j = 0; j < count; ++j)
                    for (int d = 0; d < shares[j].piece->unknowns; ++d)
                        matrix(mine, c, *shares[j].piece, d) += force.dot(shares[j].by(d));
            }
        }
    }
    for (int i = 0; i < static_cast<int>(s.pieces.size()); ++i)
        if (s.pieces[i].free && s.pieces[i].root == i)
            solve_dense(s.balance.data() + s.pieces[i].matrix, s.shift.data() + s.pieces[i].shift, s.piece_group[i]);
    for (std::size_t b = 0; b < systems.size(); ++b) {
        BlockSystem& a = *systems[b];
        if (a.part.empty() && a.pinned) continue;
        if (a.lever.empty())
            translate(a, s, s.first_piece[b]);
        else
            translate_and_turn(a, kernels, s, s.first_piece[b]);
    }
}

}  // namespace pliant
