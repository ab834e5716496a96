#include "pliant/particle/touch.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

namespace {

// Points that hang on the same particles are gone through this often, one after the other (projected Gauss-Seidel).
// What is left then is taken out in the next step of the body, a fraction of a millisecond later.
constexpr int rounds_when_shared = 6;

Vec3 at(std::span<const double> rows, int stride, const ParticleTouch& t) {
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < 4; ++k)
        if (t.point.weight[k] != 0)
            for (int c = 0; c < 3; ++c) sum[c] += t.point.weight[k] * rows[long(stride) * t.point.node[k] + c];
    return sum;
}

void apply(const TouchRows& rows, const ParticleTouch& t, const Vec3& impulse, bool moves = true) {
    for (int k = 0; k < 4; ++k)
        if (t.point.weight[k] != 0)
            for (int c = 0; c < 3; ++c) {
                const long i = long(rows.stride) * t.point.node[k] + c;
                const double dv = t.point.weight[k] * impulse[c] * rows.scale[i] / rows.h;
                if (moves) rows.x[i] += rows.h * dv;
                rows.v[i] += rows.damping * dv;
            }
}

}  // namespace

int begin_touches(std::span<ParticleTouch> touches, const TouchRows& rows, std::span<char> used) {
    std::fill(used.begin(), used.end(), 0);
    bool shared = false;
    for (ParticleTouch& t : touches) {
        t.impulse.setZero();
        t.mobility = t.mobility_across = 0;
        for (int k = 0; k < 4; ++k) {
            if (t.point.weight[k] == 0) continue;
            shared = shared || used[t.point.node[k]];
            used[t.point.node[k]] = 1;
            for (int c = 0; c < 3; ++c) {
                const double yields = t.point.weight[k] * t.point.weight[k] *
                                      rows.scale[long(rows.stride) * t.point.node[k] + c] / rows.h;
                t.mobility += yields * t.normal[c] * t.normal[c];
                t.mobility_across += yields / 3;
            }
        }
    }
    return shared ? rounds_when_shared : 1;
}

namespace {

/// Friction that would end this slide, as far as Coulomb's law goes.
Vec3 friction(const ParticleTouch& t, const Vec3& so_far, Vec3 slide, double push) {
    slide -= t.drift;
    const Vec3 rub = so_far - (slide - t.normal.dot(slide) * t.normal) / t.mobility_across;
    const double size = rub.norm(), most = t.friction * push;
    return size > most ? Vec3(most / size * rub) : rub;
}

/// The end of a step for velocities that are not those over it.
void stop_velocity(const TouchRows& rows, ParticleTouch& t) {
    const double away = t.normal.dot(at(rows.v, rows.stride, t)) - t.rise;
    const double halt = t.push > 0 ? std::max(0.0, t.halt - away / t.mobility) : 0;
    apply(rows, t, (halt - t.halt) * t.normal, false);
    t.halt = halt;
    const Vec3 hold = friction(t, t.hold, at(rows.v, rows.stride, t), t.halt);
    apply(rows, t, hold - t.hold, false);
    t.hold = hold;
}

}  // namespace

void stop_touches(std::span<ParticleTouch> touches, const TouchRows& rows, double time, int rounds) {
    for (ParticleTouch& t : touches) t.push = t.halt = 0, t.rub.setZero(), t.hold.setZero();
    for (int round = 0; round < rounds; ++round)
        for (ParticleTouch& t : touches) {
            if (!(t.mobility > 0)) continue;
            const double gap = t.normal.dot(at(rows.x, rows.stride, t)) - (t.level + time * t.rise);
            const double push = std::max(0.0, t.push - gap / (rows.h * t.mobility));
            if (push == 0 && t.push == 0) continue;
            apply(rows, t, (push - t.push) * t.normal);
            t.push = push;
            if (t.friction > 0 && rows.damping > 0) {
                const Vec3 slide = rows.start.empty()
                                       ? Vec3(at(rows.v, rows.stride, t) / rows.damping)
                                       : Vec3((at(rows.x, rows.stride, t) - at(rows.start, rows.stride, t)) / rows.h);
                const Vec3 rub = friction(t, t.rub, slide, t.push);
                apply(rows, t, rub - t.rub);
                t.rub = rub;
            }
            if (!rows.start.empty()) stop_velocity(rows, t);
        }
    for (ParticleTouch& t : touches) t.impulse += (t.push + t.halt) * t.normal + t.rub + t.hold;
}

}  // namespace pliant
