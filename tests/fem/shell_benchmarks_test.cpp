// The usual obstacle course for shells (MacNeal & Harder 1985; Belytschko et al. 1985), small displacements, at three
// resolutions and on an uneven mesh, with hinge bending beside.

#include <gtest/gtest.h>

#include <iostream>

#include "shell_static.hpp"

namespace pliant::test {
namespace {

std::vector<double> node_areas(const Sheet& s) {
    std::vector<double> area(s.points.size(), 0);
    for (const Tri& t : s.triangles)
        for (int i : t) area[i] += (s.points[t[1]] - s.points[t[0]]).cross(s.points[t[2]] - s.points[t[0]]).norm() / 6;
    return area;
}

std::vector<Vec3> small_displacement(Shell& shell, const Sheet& s, const std::vector<Vec3>& load, const Held& held) {
    Threads threads(1);
    return newton_direction(shell, s.points, load, held, 0, threads, nullptr);
}

struct Problem {
    const char* name;
    double expected;
    std::function<double(int n, double shake, Bending bending)> run;  ///< n cells along each side of the symmetric part
    std::vector<int> cells;
};

/// Deflection at the middle of a free edge of a cylindrical roof on diaphragms under its weight; 0.3024 is the usual
/// value for comparison, 0.3086 that of the theory of shallow shells.
double roof(int n, double shake, Bending bending) {
    const Sheet s = mapped_sheet(
        2 * n, 2 * n, false,
        [](double u, double v) {
            const double a = (2 * u - 1) * 40 * M_PI / 180;
            return Vec3(25 * std::sin(a), 25 * std::cos(a), 50 * v);
        },
        shake);
    Shell shell = make_shell(s, 4.32e8, 0, 0.25, bending);
    Held held(s.points.size());
    std::vector<Vec3> load(s.points.size());
    const std::vector<double> area = node_areas(s);
    for (std::size_t i = 0; i < held.size(); ++i) {
        const char end = s.points[i].z() < 1e-9 || s.points[i].z() > 50 - 1e-9;
        held[i] = {end, end, i == 0};
        load[i] = Vec3(0, -90 * area[i], 0);
    }
    return -small_displacement(shell, s, load, held)[n * (2 * n + 1)].y();
}

/// Displacement under one of two opposite forces on a cylinder with diaphragms at its ends; an eighth of it, with edges
/// clamped in the planes of symmetry.
double cylinder(int n, double shake, Bending bending) {
    const Sheet s = mapped_sheet(
        n, n, false,
        [](double u, double v) {
            const double a = 0.5 * M_PI * u;
            return Vec3(300 * std::sin(a), 300 * std::cos(a), 300 * v);
        },
        shake);
    ShellOptions options;
    options.bending = bending, options.thickness = 3;
    if (bending == Bending::smooth)
        options.clamped = [](const Vec3& p) { return p.x() < 1e-6 || p.y() < 1e-6 || p.z() > 300 - 1e-6; };
    Shell shell(s.points, s.triangles, std::vector<ElementMaterial>(s.triangles.size(), {3e6, 0.3, 1}), options);
    Held held(s.points.size());
    for (std::size_t i = 0; i < held.size(); ++i) {
        const Vec3& p = s.points[i];
        const bool end = p.z() < 1e-9;
        held[i] = {p.x() < 1e-6 || end, p.y() < 1e-6 || end, p.z() > 300 - 1e-6};
    }
    std::vector<Vec3> load(s.points.size(), Vec3::Zero());
    const int under = n * (n + 1);
    load[under] = Vec3(0, -0.25, 0);
    return -small_displacement(shell, s, load, held)[under].y();
}

/// Radial displacement under two pairs of opposite forces on the rim of a hemisphere with a hole of 18°; a quarter.
double hemisphere(int n, double shake, Bending bending) {
    const Sheet s = mapped_sheet(
        n, n, false,
        [](double u, double v) {
            const double a = 0.5 * M_PI * u, b = v * 72 * M_PI / 180;
            return Vec3(10 * std::cos(b) * std::cos(a), 10 * std::sin(b), 10 * std::cos(b) * std::sin(a));
        },
        shake);
    ShellOptions options;
    options.bending = bending, options.thickness = 0.04;
    if (bending == Bending::smooth) options.clamped = [](const Vec3& p) { return p.x() < 1e-6 || p.z() < 1e-6; };
    Shell shell(s.points, s.triangles, std::vector<ElementMaterial>(s.triangles.size(), {6.825e7, 0.3, 1}), options);
    Held held(s.points.size());
    for (std::size_t i = 0; i < held.size(); ++i) held[i] = {s.points[i].x() < 1e-6, i == 0, s.points[i].z() < 1e-6};
    std::vector<Vec3> load(s.points.size(), Vec3::Zero());
    load[0] = Vec3(1, 0, 0), load[n] = Vec3(0, 0, -1);
    const std::vector<Vec3> moved = small_displacement(shell, s, load, held);
    return 0.5 * (moved[0].x() - moved[n].z());
}

void run(const Problem& p) {
    for (const double shake : {0.0, 0.3})
        for (const Bending bending : {Bending::smooth, Bending::hinge}) {
            std::cout << p.name << (shake > 0 ? ", uneven mesh" : ", even mesh")
                      << (bending == Bending::smooth ? ", smooth:" : ", hinge:");
            double found[3], last = 0;
            for (int k = 0; k < 3; ++k) {
                found[k] = last = p.run(p.cells[k], shake, bending);
                std::cout << "  " << p.cells[k] << ": " << found[k] << " (" << 100 * (found[k] / p.expected - 1)
                          << " %)";
            }
            // Richardson: how differences shrink as cells are halved.
            std::cout << "  order " << std::log2(std::abs((found[0] - found[1]) / (found[1] - found[2]))) << "\n";
            // Uneven meshes are as good as even ones of about half as many cells.
            const double gate = shake > 0 ? 0.05 : 0.02;
            if (bending == Bending::smooth) {
                EXPECT_NEAR(last / p.expected, 1, gate) << p.name << " shaken " << shake;
            }
        }
}

TEST(ShellBenchmark, ScordelisLoRoof) { run({"Scordelis-Lo roof", 0.3024, roof, {4, 8, 16}}); }
TEST(ShellBenchmark, PinchedCylinder) { run({"pinched cylinder", 1.8248e-5, cylinder, {8, 16, 32}}); }
TEST(ShellBenchmark, HemisphereWithAHole) { run({"hemisphere", 0.0924, hemisphere, {4, 8, 16}}); }

}  // namespace
}  // namespace pliant::test
