#pragma once
// Made-up frames for the tests of everything that a run writes.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "pliant/world/frame.hpp"

namespace pliant::test {

/// A folder of its own that goes away with the test.
class TemporaryDirectory {
public:
    enum class On { disk, memory };  ///< memory, where there is such: syncing costs nothing

    explicit TemporaryDirectory(On on = On::disk) {
        const bool memory = on == On::memory && ::access("/dev/shm", W_OK) == 0;
        const std::filesystem::path parent = memory ? "/dev/shm" : std::filesystem::temp_directory_path();
        std::string pattern = (parent / "pliant-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
        path = pattern;
    }
    ~TemporaryDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    std::filesystem::path path;
};

inline std::string contents(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(in.good()) << path;
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

/// Every file below a folder, by relative name, with its contents.
inline std::map<std::string, std::string> tree(const std::filesystem::path& root) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
        if (entry.is_regular_file())
            files[std::filesystem::relative(entry.path(), root).string()] = contents(entry.path());
    return files;
}

/// A sheet of n × n quads that waves with time, carried by a row of n tets, and a floor that stays. From frame
/// `split` on the sheet has one triangle less, as after a cut.
inline Frame wave_frame(int index, int n = 6, int split = 1 << 30) {
    Frame frame;
    frame.index = index;
    frame.time = index / 50.0;
    BodyFrame body;
    body.name = "jelly sheet";
    body.kind = "fem";
    body.color = Vec3(0.9, 0.25, 0.1);
    std::vector<Tri> triangles;
    for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= n; ++i) {
            const double x = double(i) / n, z = double(j) / n;
            body.points.emplace_back(x, 0.1 * std::sin(7 * x + 3 * z + frame.time), z);
            body.normals.push_back(Vec3(-0.7 * std::cos(7 * x + 3 * z + frame.time), 1, 0.1).normalized());
        }
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            const int a = j * (n + 1) + i, b = a + n + 1;
            triangles.push_back({a, b, a + 1});
            triangles.push_back({a + 1, b, b + 1});
        }
    if (index >= split) triangles.pop_back();
    body.surface_revision = index >= split ? 2 : 1;
    body.triangles = std::make_shared<const std::vector<Tri>>(triangles);
    std::vector<Tet> tets;
    for (int i = 0; i < n; ++i) {
        for (const Vec3& corner : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)})
            body.nodes.push_back(corner / n + Vec3(double(i) / n, 0.01 * index, 0));
        tets.push_back({4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3});
    }
    body.tets = std::make_shared<const std::vector<Tet>>(tets);
    body.mesh_revision = 1;
    const auto field = [&](const char* name, const char* unit, Field::On on, int components, std::size_t count) {
        Field f{name, unit, on, components, {}};
        for (std::size_t i = 0; i < count * std::size_t(components); ++i)
            f.values.push_back(float(i) * 0.5F + float(index));
        body.fields.push_back(f);
    };
    field("displacement", "m", Field::On::node, 3, body.nodes.size());
    field("velocity", "m/s", Field::On::node, 3, body.nodes.size());
    field("von_mises", "Pa", Field::On::tet, 1, tets.size());
    field("temperature", "K", Field::On::vertex, 1, body.points.size());
    field("velocity", "m/s", Field::On::vertex, 3, body.points.size());
    field("group", "", Field::On::triangle, 1, triangles.size());
    frame.bodies.push_back(body);

    BodyFrame floor;
    floor.name = "floor";
    floor.kind = "obstacle";
    floor.points = {{-1, 0, -1}, {-1, 0, 1}, {1, 0, 1}, {1, 0, -1}};
    floor.normals.assign(4, Vec3::UnitY());
    static const auto floor_triangles =
        std::make_shared<const std::vector<Tri>>(std::vector<Tri>{{0, 1, 2}, {0, 2, 3}});
    floor.triangles = floor_triangles;
    frame.bodies.push_back(floor);

    frame.measures = {{"height", 0.1 * index}, {"volume, total", 1.0 / 3.0}};
    frame.events.push_back({"impact", "jelly sheet", frame.time, Vec3(1, 2, 3), 0.25});
    return frame;
}

}  // namespace pliant::test
