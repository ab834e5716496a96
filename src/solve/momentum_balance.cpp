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
            piece.free = !(a.part.empty() ? a.pinned : a.part_pinned[i - first]);
            piece.missing = a.part.empty() ? a.momentum : a.part_momentum[i - first];
            any |= piece.free;
        }
        if (!any) continue;
        for (int row = 0; row < a.rows; ++row) {
            CgScratch::Piece& piece = s.pieces[first + (a.part.empty() ? 0 : a.part[row])];
            piece.mass += a.inertia[row];
            piece.missing -= a.inertia[row] * a.at(a.v, row);
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
    s.piece_group.assign(s.pieces.size(), 0);  // at each root: pieces of its group
    for (int i = 0; i < static_cast<int>(s.pieces.size()); ++i) {
        s.pieces[i].root = root_of(s.pieces, i);
        if (s.pieces[i].free) s.pieces[i].place = s.piece_group[s.pieces[i].root]++;
    }
    std::size_t matrix = 0, shift = 0;
    for (int i = 0; i < static_cast<int>(s.pieces.size()); ++i) {
        CgScratch::Piece& piece = s.pieces[i];
        if (!piece.free) continue;
        if (piece.root == i) {
            const std::size_t n = 3 * std::size_t(s.piece_group[i]);
            piece.matrix = matrix, piece.shift = shift;
            matrix += n * n, shift += n;
        } else {
            piece.matrix = s.pieces[piece.root].matrix, piece.shift = s.pieces[piece.root].shift;
        }
    }
    s.balance.assign(matrix, 0), s.shift.assign(shift, 0);
}

}  // namespace

void balance_momentum(std::span<BlockSystem* const> systems, std::span<const Coupling> couplings, CgScratch& s) {
    weigh_pieces(systems, s);
    const auto piece_of = [&](const CgScratch::End& end) {
        return s.first_piece[end.index] + (end.system->part.empty() ? 0 : end.system->part[end.row]);
    };
    group_pieces(couplings.size(), s, piece_of);
    const auto matrix = [&](const CgScratch::Piece& a, int c, const CgScratch::Piece& b, int d) -> double& {
        return s.balance[a.matrix + std::size_t(3 * a.place + c) * (3 * s.piece_group[a.root]) + 3 * b.place + d];
    };
    for (const CgScratch::Piece& piece : s.pieces)
        for (int c = 0; piece.free && c < 3; ++c) {
            matrix(piece, c, piece, c) = piece.mass;
            s.shift[piece.shift + 3 * piece.place + c] = piece.missing[c];
        }
    for (std::size_t k = 0; k < couplings.size(); ++k) {
        // A rigid shift moves all ends in one piece alike: what counts is the sum of their weights. Few pieces meet.
        struct Share {
            const CgScratch::Piece* piece;
            double weight;
        };
        std::array<Share, Coupling::max_ends> shares;
        int count = 0;
        for (int e = s.end_begin[k]; e < s.end_begin[k + 1]; ++e) {
            const CgScratch::Piece* piece = &s.pieces[piece_of(s.ends[e])];
            if (!piece->free) continue;
            int i = 0;
            while (i < count && shares[i].piece != piece) ++i;
            if (i == count) shares[count++] = {piece, 0.0};
            shares[i].weight += s.ends[e].weight;
        }
        for (int i = 0; i < count; ++i) {
            const auto& [mine, weight] = shares[i];
            // s.impulse still holds s − S u at the v that conjugate gradients reached.
            for (int c = 0; c < 3; ++c) s.shift[mine->shift + 3 * mine->place + c] += weight * s.impulse[k][c];
            for (int j = 0; j < count; ++j)
                for (int c = 0; c < 3; ++c)
                    for (int d = 0; d < 3; ++d)
                        matrix(*mine, c, *shares[j].piece, d) += weight * shares[j].weight * couplings[k].S(c, d);
        }
    }
    for (int i = 0; i < static_cast<int>(s.pieces.size()); ++i)
        if (s.pieces[i].free && s.pieces[i].root == i)
            solve_dense(s.balance.data() + s.pieces[i].matrix, s.shift.data() + s.pieces[i].shift,
                        3 * s.piece_group[i]);
    for (std::size_t b = 0; b < systems.size(); ++b) {
        BlockSystem& a = *systems[b];
        if (a.part.empty() && a.pinned) continue;
        for (int row = 0; row < a.rows; ++row) {
            const CgScratch::Piece& piece = s.pieces[s.first_piece[b] + (a.part.empty() ? 0 : a.part[row])];
            if (!piece.free) continue;
            const double* at = s.shift.data() + piece.shift + 3 * piece.place;
            const Vec3 shift(at[0], at[1], at[2]);
            if (shift.allFinite()) a.add(a.v, row, shift), a.add(a.r, row, -a.inertia[row] * shift);
        }
    }
}

}  // namespace pliant
