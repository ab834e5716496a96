#include "pliant/body/moving_frame.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace pliant {

namespace {

/// Largest angle of one Runge–Kutta step of the rotation, rad: its error is of fifth order in it, 3e-11. And the most
/// of them: a piece that turns by more than twenty radians in a step has no motion worth following, and moves without
/// a frame.
constexpr double largest_turn = 0.02;
constexpr int most_turns = 1000;
/// Principal moments below this part of the largest belong to pieces as thin as a line: they do not turn about it.
constexpr double least_moment = 1e-10;
/// Held nodes are on a line if none is further from it than this part of its length: a few roundings.
constexpr double on_line = 1e-9;
constexpr std::size_t frame_chunk = 1024;

/// Its inverse where it has one: zero for directions about which the piece has no extent.
Mat3 invert_inertia(const Mat3& inertia) {
    if (!inertia.allFinite()) return Mat3::Zero();
    const Eigen::SelfAdjointEigenSolver<Mat3> solver(inertia);
    Vec3 inverse = Vec3::Zero();
    for (int i = 0; i < 3; ++i)
        if (solver.eigenvalues()[i] > least_moment * solver.eigenvalues()[2]) inverse[i] = 1 / solver.eigenvalues()[i];
    return solver.eigenvectors() * inverse.asDiagonal() * solver.eigenvectors().transpose();
}

/// The rotation of a free rigid body with constant angular momentum: dQ/dt = ω×Q, ω = Q I⁻¹ Qᵀ L. False if it turns
/// too far to be followed.
bool rotate_freely(const Mat3& inverse_inertia, const Vec3& spin, double dt, Mat3& rotation) {
    const auto omega = [&](const Quat& q) { return Vec3(q * (inverse_inertia * (q.conjugate() * spin))); };
    const auto rate = [&](const Quat& q) {
        const Vec3 w = 0.5 * omega(q.normalized());
        return (Quat(0, w[0], w[1], w[2]) * q).coeffs().eval();
    };
    const double turns = (inverse_inertia * spin).norm() * dt / largest_turn;
    if (!(turns < most_turns)) return false;
    const int steps = 1 + static_cast<int>(turns);
    const double h = dt / steps;
    Quat q = Quat::Identity();
    for (int i = 0; i < steps; ++i) {
        const auto moved = [&](const Eigen::Vector4d& by, double t) {
            return Quat(Eigen::Vector4d(q.coeffs() + t * by));
        };
        const Eigen::Vector4d a = rate(q), b = rate(moved(a, h / 2)), c = rate(moved(b, h / 2)), d = rate(moved(c, h));
        q = moved(a + 2 * b + 2 * c + d, h / 6).normalized();
    }
    rotation = q.toRotationMatrix();
    return true;
}

/// Calls add(node, sums of its piece) for all nodes. The order of the sums does not depend on the number of threads:
/// within a chunk those of nodes of one piece that follow each other, then these one after the other.
template <class Add>
void sum_pieces(MovingFrame& frame, const BlockSystem& system, std::size_t nodes, std::vector<PieceSums>& sums,
                Threads& threads, const Add& add) {
    std::vector<std::vector<MovingFrame::Run>>& runs = frame.runs;
    runs.resize((nodes + frame_chunk - 1) / frame_chunk);
    parallel_for(threads, nodes, frame_chunk, [&](std::size_t begin, std::size_t end) {
        std::vector<MovingFrame::Run>& own = runs[begin / frame_chunk];
        own.clear();
        for (std::size_t i = begin; i < end; ++i) {
            const int piece = system.part_of(system.row_of_node[i]);
            if (own.empty() || own.back().piece != piece) own.push_back({piece, {}});
            add(i, own.back().sums);
        }
    });
    sums.assign(frame.pieces.size(), {});
    for (const auto& chunk : runs)
        for (const MovingFrame::Run& run : chunk) sums[run.piece].add(run.sums);
}

/// The held nodes of a piece, seen one after the other: `first` is true in the first of two rounds, which finds the
/// line that the second one compares them with.
void hold_node(PieceFrame& p, const Vec3& x, bool first) {
    if (p.hold == Hold::other) return;
    if (p.hold == Hold::none) {
        p.hold = Hold::point, p.pivot = x, p.axis.setZero();
        return;
    }
    const Vec3 away = x - p.pivot;
    if (first) {
        if (away.squaredNorm() > p.axis.squaredNorm()) p.axis = away, p.hold = Hold::line;
    } else if (away.cross(p.axis).norm() > on_line * p.axis.squaredNorm()) {
        p.hold = Hold::other;
    }
}

void find_held_pieces(MovingFrame& frame, const FrameInput& input, const BlockSystem& system) {
    const auto piece = [&](int node) -> PieceFrame& { return frame.pieces[system.part_of(system.row_of_node[node])]; };
    for (PieceFrame& p : frame.pieces) p.hold = Hold::none;
    for (const bool first : {true, false})
        for (std::size_t i = 0; i < input.prescribed.size(); ++i) {
            if (!input.prescribed[i]) continue;
            PieceFrame& p = piece(static_cast<int>(i));
            if (!input.first_guess[i].isZero(0) || !input.v[i].isZero(0))
                p.hold = Hold::other;
            else
                hold_node(p, input.x[i], first);
        }
    for (const AxisHold& hold : input.axis_holds) piece(hold.particle).hold = Hold::other;
    for (PieceFrame& p : frame.pieces) {
        p.moves = p.hold != Hold::other && !input.stands;
        if (p.hold == Hold::line) p.axis.normalize();
    }
}

/// The rotation of the substep; false if it goes too far to be followed.
bool rotate(PieceFrame& p, const Mat3& inverse_inertia, const Vec3& spin, double dt) {
    if (p.hold != Hold::line) return rotate_freely(inverse_inertia, spin, dt, p.rotation);
    const double angle = dt * p.axis.dot(inverse_inertia * spin);
    if (!(std::abs(angle) < most_turns * largest_turn)) return false;
    p.rotation = Eigen::AngleAxisd(angle, p.axis).toRotationMatrix();
    return true;
}

void begin_piece(PieceFrame& p, const PieceSums& sums, const Vec3& origin) {
    const Vec3 centre = p.centre_of(sums, origin);
    p.inverse_mass = p.hold == Hold::none ? 1 / sums.mass : 0;
    p.centre = origin + centre;
    p.inverse_inertia = p.inverse_of(sums.inertia_about(centre));
    p.velocity = p.inverse_mass * sums.momentum;
    p.omega = p.inverse_inertia * sums.spin_about(centre);
}

/// The rigid motion of the substep: forces first, then the motion with the momentum they leave (symplectic Euler for
/// the centre), so that a piece whose contacts take up its weight comes to rest.
void move_piece(PieceFrame& p, const PieceSums& sums, const Vec3& origin, const FrameInput& input) {
    const double damped = 1 / (1 + input.dt * input.mass_damping);
    const Mat3 inverse = p.inverse_inertia;
    const Vec3 centre = p.centre - origin, spin = sums.spin_about(centre);
    p.velocity_end = damped * (p.velocity + input.dt * p.inverse_mass * sums.force);
    p.spin_end = damped * (spin + input.dt * sums.torque_about(centre));
    p.centre_end = p.centre + input.dt * p.velocity_end;
    if (!p.centre_end.allFinite() || !rotate(p, inverse, p.spin_end, input.dt)) {
        p.moves = false;
        return;
    }
    p.inverse_inertia = p.rotation * inverse * p.rotation.transpose();
    p.omega_end = p.inverse_inertia * p.spin_end;
}

/// The same of second order: by the mean of the momenta at both ends and of the inertia there. `end`: sums at the
/// places that nodes would deform to. Mass damping is 1/(1 + a + a²/2) for e^(−a).
void move_piece_by_mean(PieceFrame& p, const PieceSums& sums, const PieceSums& end, const Vec3& origin,
                        const FrameInput& input) {
    const double a = input.dt * input.mass_damping, damped = 1 / (1 + a + a * a / 2), pushed = input.dt * (1 + a / 2);
    const Mat3 inverse_end = p.inverse_of(end.inertia_about(p.centre_of(end, p.centre)));
    const Vec3 centre = p.centre - origin, spin = sums.spin_about(centre);
    p.velocity_end = damped * (p.velocity + pushed * p.inverse_mass * sums.force);
    p.spin_end = damped * (spin + pushed * sums.torque_about(centre));
    p.centre_end = p.centre + 0.5 * input.dt * (p.velocity + p.velocity_end);
    if (!p.centre_end.allFinite() ||
        !rotate(p, 0.5 * (p.inverse_inertia + inverse_end), 0.5 * (spin + p.spin_end), input.dt)) {
        p.moves = false;
        return;
    }
    p.inverse_inertia = p.rotation * inverse_end * p.rotation.transpose();
    p.omega_end = p.inverse_inertia * p.spin_end;
}

}  // namespace

void PieceSums::add(const PieceSums& o) {
    mass += o.mass, place += o.place, momentum += o.momentum, spin += o.spin;
    force += o.force, torque += o.torque, second += o.second;
}

Mat3 PieceSums::inertia_about(const Vec3& point) const {
    const Mat3 crossed = place * point.transpose();
    const Mat3 whole = second.selfadjointView<Eigen::Lower>();
    const Mat3 about = whole - crossed - crossed.transpose() + mass * point * point.transpose();
    return about.trace() * Mat3::Identity() - about;
}

Mat3 PieceFrame::inverse_of(const Mat3& inertia) const {
    if (hold != Hold::line) return invert_inertia(inertia);
    const double about_axis = axis.dot(inertia * axis);
    return about_axis > least_moment * inertia.trace() ? Mat3(axis * axis.transpose() / about_axis) : Mat3::Zero();
}

void begin_frame(MovingFrame& frame, const FrameInput& input, BlockSystem& system, Threads& threads) {
    const std::size_t nodes = input.x.size();
    frame.pieces.resize(system.parts());
    system.part_coupled.assign(system.parts(), 0);
    find_held_pieces(frame, input, system);
    frame.active = input.history ||
                   std::any_of(frame.pieces.begin(), frame.pieces.end(), [](const PieceFrame& p) { return p.moves; });
    if (!frame.active) return;

    const Vec3 origin = input.x[0];
    sum_pieces(frame, system, nodes, frame.sums, threads, [&](std::size_t i, PieceSums& sums) {
        sums.add(input.mass[i], input.x[i] - origin, input.v[i], input.force[i]);
    });
    for (std::size_t k = 0; k < frame.pieces.size(); ++k)
        if (frame.pieces[k].moves) begin_piece(frame.pieces[k], frame.sums[k], origin);
    if (input.second_order)
        sum_pieces(frame, system, nodes, frame.more_sums, threads, [&](std::size_t i, PieceSums& sums) {
            const PieceFrame& p = frame.pieces[system.part_of(system.row_of_node[i])];
            if (!p.moves) return;
            const Vec3 r = input.x[i] - p.centre, w = input.v[i] - p.velocity - p.omega.cross(r);
            sums.add(input.mass[i], r + input.dt * w, w, Vec3::Zero());
        });
    for (std::size_t k = 0; k < frame.pieces.size(); ++k) {
        if (!frame.pieces[k].moves) continue;
        if (input.second_order)
            move_piece_by_mean(frame.pieces[k], frame.sums[k], frame.more_sums[k], origin, input);
        else
            move_piece(frame.pieces[k], frame.sums[k], origin, input);
    }

    for (auto* array : {&frame.y, &frame.velocity, &frame.start, &frame.force, &frame.before}) array->resize(nodes);
    if (input.history)
        for (auto* array : {&frame.rigid, &frame.carried}) array->resize(nodes);
    const double reach = input.formula.reach, memory = input.formula.memory;
    const auto piece_of = [&](std::size_t i) -> const PieceFrame& {
        return frame.pieces[system.part_of(system.row_of_node[i])];
    };
    // w*, and its rigid part, which belongs to the frame.
    sum_pieces(frame, system, nodes, frame.more_sums, threads, [&](std::size_t i, PieceSums& sums) {
        const PieceFrame& p = piece_of(i);
        if (!p.moves || input.prescribed[i]) {
            frame.y[i] = input.x[i], frame.velocity[i].setZero();
            frame.start[i] = input.first_guess[i], frame.force[i] = input.force[i], frame.before[i] = input.v[i];
            if (!input.history) return;
            frame.rigid[i] = input.x[i], frame.carried[i] = input.v[i];
            if (memory == 0) return;
            const TwoStepHistory& last = *input.history;
            frame.y[i] += memory * last.moved[i], frame.velocity[i] = memory / input.dt * last.moved[i];
            if (input.prescribed[i])
                frame.start[i] -= frame.velocity[i];
            else
                frame.start[i] = reach * (input.v[i] + memory * (input.v[i] - last.velocity[i]));
            return;
        }
        const Vec3 r = input.x[i] - p.centre, moved = p.rotation * r;
        const Vec3 w = input.v[i] - p.velocity - p.omega.cross(r);
        const double m = input.mass[i];
        frame.y[i] = p.centre_end + moved;
        if (input.history) frame.rigid[i] = frame.y[i], frame.carried[i] = p.rotation * w;
        frame.before[i] = p.rotation.transpose() * w;
        Vec3 deforming;
        if (memory > 0) {
            // Inertial forces at the end of the step, where second differences lead.
            const TwoStepHistory& last = *input.history;
            const Vec3 way = p.rotation * last.moved[i], gained = p.rotation * (w - last.velocity[i]);
            const Vec3 lever = moved + input.ratio * way, speed = frame.carried[i] + input.ratio * gained;
            frame.y[i] += memory * way;
            deforming = frame.carried[i] + memory * gained -
                        reach * input.dt * p.omega_end.cross(p.omega_end.cross(lever) + 2 * speed);
        } else {
            deforming = frame.before[i] - input.dt * p.omega_end.cross(p.omega_end.cross(moved));
        }
        frame.velocity[i] = (frame.y[i] - input.x[i]) / input.dt;
        frame.start[i].setZero();
        if (m > 0) deforming += reach * input.dt / m * input.force[i];
        frame.force[i] = deforming;
        sums.momentum += m * deforming, sums.spin += m * moved.cross(deforming);
    });
    parallel_for(threads, nodes, frame_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const PieceFrame& p = piece_of(i);
            if (!p.moves || input.prescribed[i]) continue;
            const PieceSums& rigid = frame.more_sums[&p - frame.pieces.data()];
            const Vec3 turning = (p.inverse_inertia * rigid.spin).cross(frame.y[i] - p.centre_end);
            // Two-step formulas start from the velocity of before: with rotations at the start of the step warped
            // stiffness would be of first order only, and pump energy into soft bodies that spin.
            if (memory > 0) frame.start[i] = reach * frame.carried[i];
            frame.force[i] = input.mass[i] / (reach * input.dt) *
                             (frame.force[i] - p.inverse_mass * rigid.momentum - turning - frame.start[i] / reach);
        }
    });
}

void enter_frame(const MovingFrame& frame, BlockSystem& system) {
    for (int row = 0; row < system.rows; ++row) {
        const int node = system.node_of_row[row], part = system.part_of(row);
        const Vec3& velocity = frame.velocity[node];
        const Vec3 momentum = system.inertia[row] * velocity;
        system.add(system.v, row, velocity);
        (system.part.empty() ? system.momentum : system.part_momentum[part]) += momentum;
        if (!system.lever.empty()) system.part_spin[part] += system.lever[row].cross(momentum);
    }
}

void remove_rigid_error(MovingFrame& frame, std::span<const double> mass, std::span<const char> prescribed,
                        const BlockSystem& system, std::span<Vec3> v, Threads& threads) {
    const std::size_t nodes = v.size(), pieces = frame.pieces.size();
    const auto part = [&](std::size_t i) { return system.part_of(system.row_of_node[i]); };
    const auto alone = [&](std::size_t k) { return frame.pieces[k].moves && !system.part_coupled[k]; };
    bool any = false;
    for (std::size_t k = 0; k < pieces; ++k) any = any || alone(k);
    if (!any) return;
    frame.shift.assign(pieces, Vec3::Zero()), frame.turn.assign(pieces, Vec3::Zero());
    sum_pieces(frame, system, nodes, frame.sums, threads, [&](std::size_t i, PieceSums& sums) {
        const Vec3 w = v[i] - frame.velocity[i];
        sums.momentum += mass[i] * w;
        sums.spin += mass[i] * (frame.y[i] - frame.pieces[part(i)].centre_end).cross(w);
    });
    for (std::size_t k = 0; k < pieces; ++k) {
        const PieceFrame& p = frame.pieces[k];
        if (alone(k))
            frame.shift[k] = p.inverse_mass * frame.sums[k].momentum,
            frame.turn[k] = p.inverse_inertia * frame.sums[k].spin;
    }
    parallel_for(threads, nodes, frame_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const int k = part(i);
            if (alone(k) && !prescribed[i])
                v[i] -= frame.shift[k] + frame.turn[k].cross(frame.y[i] - frame.pieces[k].centre_end);
        }
    });
}

namespace {

/// Sums f(node) over the nodes that are not held, in the order of the chunks.
template <class F>
double sum_over_free(MovingFrame& frame, const FrameInput& input, Threads& threads, const F& f) {
    frame.energy.assign((input.mass.size() + frame_chunk - 1) / frame_chunk, 0.0);
    parallel_for(threads, input.mass.size(), frame_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            if (!input.prescribed[i]) frame.energy[begin / frame_chunk] += f(i);
    });
    double sum = 0;
    for (const double e : frame.energy) sum += e;
    return sum;
}

/// Takes `excess` from the kinetic energy of w less the rigid part that `shift` and `turn` say of each piece that
/// moves. Returns what is not there.
double slow_deformation(MovingFrame& frame, const FrameInput& input, const BlockSystem& system, double excess,
                        std::span<const Vec3> x, std::span<Vec3> w, Threads& threads) {
    const auto rigid = [&](std::size_t i) -> Vec3 {
        const int k = system.part_of(system.row_of_node[i]);
        if (!frame.pieces[k].moves) return Vec3::Zero();
        return frame.shift[k] + frame.turn[k].cross(x[i] - frame.pieces[k].centre);
    };
    const double kinetic = sum_over_free(
        frame, input, threads, [&](std::size_t i) { return 0.5 * input.mass[i] * (w[i] - rigid(i)).squaredNorm(); });
    if (!(kinetic > 0)) return excess;
    const double share = std::sqrt(std::max(0.0, 1 - excess / kinetic));
    parallel_for(threads, w.size(), frame_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if (input.prescribed[i]) continue;
            const Vec3 own = rigid(i);
            w[i] = own + share * (w[i] - own);
        }
    });
    return std::max(0.0, excess - kinetic);
}

}  // namespace

double leave_frame(MovingFrame& frame, const FrameInput& input, const BlockSystem& system, double excess,
                   std::span<Vec3> x, std::span<Vec3> v, Threads& threads) {
    const std::size_t nodes = x.size(), pieces = frame.pieces.size();
    const auto part = [&](std::size_t i) { return system.part_of(system.row_of_node[i]); };
    sum_pieces(frame, system, nodes, frame.sums, threads, [&](std::size_t i, PieceSums& sums) {
        const int k = part(i);
        const PieceFrame& p = frame.pieces[k];
        if (!p.moves || input.prescribed[i]) {
            x[i] += input.dt * v[i];
            v[i] = (v[i] - frame.velocity[i]) / input.formula.reach;
            return;
        }
        v[i] -= frame.velocity[i];
        x[i] = frame.y[i] + input.dt * v[i];
        v[i] /= input.formula.reach;
        const double m = input.mass[i];
        sums.add(m, x[i] - p.centre_end, v[i], m * (frame.velocity[i] - p.velocity_end));
    });
    frame.shift.assign(pieces, Vec3::Zero()), frame.turn.assign(pieces, Vec3::Zero());
    // v is the velocity of deformation now. Its rigid part at the new positions gives way to one with the momentum of
    // the frame; a piece that is coupled to something keeps its own and goes on with that of the mean velocity of the
    // frame, as implicit Euler has it: what its couplings saw is what moves on, and a piece that rocks comes to rest.
    for (std::size_t k = 0; k < pieces; ++k) {
        PieceFrame& p = frame.pieces[k];
        if (!p.moves) continue;
        const PieceSums& sums = frame.sums[k];
        const Vec3 centre = p.centre_of(sums, p.centre_end), spin = sums.spin_about(centre);
        const Mat3 inverse = p.inverse_of(sums.inertia_about(centre));
        p.centre = p.centre_end + centre;
        p.velocity = p.velocity_end;
        frame.shift[k] = p.inverse_mass * sums.momentum, frame.turn[k] = inverse * spin;
        if (system.part_coupled[k]) {
            p.omega = inverse * sums.torque_about(centre);
        } else {
            p.velocity -= frame.shift[k];
            p.omega = inverse * (p.spin_end - spin);
        }
    }
    const double left = excess > 0 ? slow_deformation(frame, input, system, excess, x, v, threads) : 0;
    parallel_for(threads, nodes, frame_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const PieceFrame& p = frame.pieces[part(i)];
            if (p.moves && !input.prescribed[i]) v[i] += p.velocity + p.omega.cross(x[i] - p.centre);
        }
    });
    return left;
}

}  // namespace pliant
