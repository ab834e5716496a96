// The stage is parsed here anew, by a reader that knows USD's grammar as far as our files use it and nothing of how
// they are written: brackets, quotes, attributes, time samples.

#include <charconv>
#include <memory>

#include "io/sink_frames.hpp"
#include "pliant/core/error.hpp"
#include "pliant/io/sink_list.hpp"

namespace pliant {
namespace {

namespace fs = std::filesystem;
using test::contents;
using test::TemporaryDirectory;
using test::wave_frame;

const RunInfo usd_info{"wave.lua", 24, 0};

struct Attribute {
    std::string value;  ///< default value as written
    std::map<double, std::string> samples;
    std::vector<double> order;  ///< of the samples in the file
    std::string metadata;
};
struct Prim {
    std::string type, name;
    std::map<std::string, Attribute> attributes;
    std::vector<std::unique_ptr<Prim>> children;

    const Prim* child(std::string_view wanted) const {
        for (const auto& prim : children)
            if (prim->name == wanted) return prim.get();
        return nullptr;
    }
};

class UsdParser {
public:
    explicit UsdParser(std::string text) : text_(std::move(text)) {}

    std::unique_ptr<Prim> stage() {
        EXPECT_TRUE(text_.starts_with("#usda 1.0\n"));
        at_ = 10;
        auto root = std::make_unique<Prim>();
        root->attributes["layer"].metadata = group('(', ')');
        for (skip(); at_ < text_.size(); skip()) root->children.push_back(prim());
        return root;
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw std::runtime_error(what + " at byte " + std::to_string(at_) + ": " + text_.substr(at_, 60));
    }
    void skip() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    }
    bool accept(char c) {
        skip();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!accept(c)) fail(std::string("expected ") + c);
    }
    std::string word() {
        skip();
        const std::size_t begin = at_;
        while (at_ < text_.size() && std::string_view(" \n=(){}\"").find(text_[at_]) == std::string_view::npos) ++at_;
        if (at_ == begin) fail("expected a word");
        return text_.substr(begin, at_ - begin);
    }
    std::string quoted() {
        expect('"');
        std::string found;
        while (at_ < text_.size() && text_[at_] != '"') {
            if (text_[at_] == '\n') fail("line break in a string");
            if (text_[at_] == '\\') ++at_;
            found += text_[at_++];
        }
        expect('"');
        return found;
    }
    /// Everything between a bracket and its partner, strings respected.
    std::string group(char open, char close) {
        expect(open);
        const std::size_t begin = at_;
        for (int depth = 1; depth > 0;) {
            if (at_ >= text_.size()) fail("unbalanced");
            if (text_[at_] == '"') {
                quoted();
                continue;
            }
            depth += text_[at_] == open ? 1 : text_[at_] == close ? -1 : 0;
            ++at_;
        }
        return text_.substr(begin, at_ - begin - 1);
    }
    std::string value() {
        skip();
        if (text_[at_] == '[') return group('[', ']');
        if (text_[at_] == '(') return group('(', ')');
        if (text_[at_] == '"') return quoted();
        if (text_[at_] == '<') return group('<', '>');
        return word();
    }
    std::unique_ptr<Prim> prim() {
        if (word() != "def") fail("expected def");
        auto found = std::make_unique<Prim>();
        found->type = word();
        found->name = quoted();
        skip();
        if (text_[at_] == '(') group('(', ')');
        expect('{');
        while (!accept('}')) {
            skip();
            if (text_.compare(at_, 4, "def ") == 0)
                found->children.push_back(prim());
            else
                attribute(*found);
        }
        return found;
    }
    void attribute(Prim& of) {
        std::string name = word();
        for (const char* prefix : {"custom", "uniform"})
            if (name == prefix) name = word();
        name += " " + word();
        const std::string suffix = ".timeSamples";
        const bool sampled = name.ends_with(suffix);
        if (sampled) name.resize(name.size() - suffix.size());
        Attribute& found = of.attributes[name];
        if (accept('=')) {
            if (sampled) {
                expect('{');
                while (!accept('}')) {
                    skip();
                    double time = 0;
                    const auto end = std::from_chars(&text_[at_], &text_[at_] + 30, time).ptr;
                    at_ = static_cast<std::size_t>(end - text_.data());
                    expect(':');
                    found.order.push_back(time);
                    found.samples[time] = value();
                    expect(',');
                }
            } else {
                found.value = value();
            }
        }
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
        if (text_[at_] == '(') found.metadata = group('(', ')');
    }

    std::string text_;
    std::size_t at_ = 0;
};

std::unique_ptr<Prim> parse(const fs::path& path) { return UsdParser(contents(path)).stage(); }

/// The value that holds at a frame, as USD resolves it.
std::string at(const Attribute& attribute, double frame) {
    auto after = attribute.samples.upper_bound(frame);
    if (attribute.samples.empty()) return attribute.value;
    return after == attribute.samples.begin() ? after->second : std::prev(after)->second;
}

std::vector<double> numbers(std::string text) {
    for (char& c : text)
        if (c == '(' || c == ')' || c == ',') c = ' ';
    std::istringstream in(text);
    std::vector<double> found;
    for (double x = 0; in >> x;) found.push_back(x);
    EXPECT_TRUE(in.eof()) << text.substr(0, 80);
    return found;
}

/// Points at a frame in the world, as USD puts them there: turned, then moved.
std::vector<Vec3> world_points(const Prim& mesh, double frame) {
    const std::vector<double> x = numbers(at(mesh.attributes.at("point3f[] points"), frame));
    std::vector<Vec3> points;
    for (std::size_t i = 0; i + 2 < x.size(); i += 3) points.emplace_back(x[i], x[i + 1], x[i + 2]);
    const auto order = mesh.attributes.find("token[] xformOpOrder");
    if (order == mesh.attributes.end()) return points;
    EXPECT_EQ(order->second.value, "\"xformOp:translate\", \"xformOp:orient\"");
    const std::vector<double> t = numbers(at(mesh.attributes.at("double3 xformOp:translate"), frame)),
                              q = numbers(at(mesh.attributes.at("quatf xformOp:orient"), frame));
    for (Vec3& p : points) p = Quat(q.at(0), q.at(1), q.at(2), q.at(3)) * p + Vec3(t.at(0), t.at(1), t.at(2));
    return points;
}

double farthest(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    if (a.size() != b.size()) return 1e300;
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, (a[i] - b[i]).norm());
    return most;
}

void check_mesh(const Prim& mesh, const BodyFrame& body, int frame) {
    const std::vector<Vec3> points = world_points(mesh, frame);
    if (mesh.attributes.contains("token[] xformOpOrder"))
        EXPECT_LT(farthest(points, body.points), 1e-6);
    else
        for (std::size_t i = 0; i < body.points.size(); ++i)
            ASSERT_EQ(points.at(i).cast<float>(), body.points[i].cast<float>()) << frame;
    ASSERT_EQ(points.size(), body.points.size()) << frame;
    const std::vector<double> local = numbers(at(mesh.attributes.at("point3f[] points"), frame));
    Box box;
    for (std::size_t i = 0; i + 2 < local.size(); i += 3) box.add(Vec3(local[i], local[i + 1], local[i + 2]));
    const std::vector<double> extent = numbers(at(mesh.attributes.at("float3[] extent"), frame));
    ASSERT_EQ(extent.size(), 6u);
    EXPECT_NEAR(extent[0], box.min.x(), 1e-6);
    EXPECT_NEAR(extent[4], box.max.y(), 1e-6);
    const std::vector<double> indices = numbers(at(mesh.attributes.at("int[] faceVertexIndices"), frame));
    ASSERT_EQ(indices.size(), 3 * body.triangles->size()) << frame;
    for (std::size_t i = 0; i < indices.size(); ++i) ASSERT_EQ(int(indices[i]), (*body.triangles)[i / 3][i % 3]);
    const std::vector<double> counts = numbers(at(mesh.attributes.at("int[] faceVertexCounts"), frame));
    ASSERT_EQ(counts.size(), body.triangles->size());
    const std::vector<double> normals = numbers(at(mesh.attributes.at("normal3f[] normals"), frame));
    ASSERT_EQ(normals.size(), 3 * points.size());
    EXPECT_NEAR(normals[0], body.normals[0].x(), 1e-4);
    EXPECT_NE(mesh.attributes.at("normal3f[] normals").metadata.find("interpolation = \"vertex\""), std::string::npos);
}

TEST(SinkUsd, StageHasEveryFrame) {
    TemporaryDirectory dir;
    const auto sink = make_sinks("usd", dir.path);
    sink[0]->begin(usd_info);
    for (int i = 0; i < 11; ++i) sink[0]->write(wave_frame(i, 6, 5));
    sink[0]->finish();
    EXPECT_FALSE(fs::exists(dir.path / "usd.parts"));

    const auto stage = parse(dir.path / "wave.usda");
    const std::string& layer = stage->attributes["layer"].metadata;
    for (const char* line : {"upAxis = \"Y\"", "metersPerUnit = 1\n", "timeCodesPerSecond = 24\n",
                             "startTimeCode = 0\n", "endTimeCode = 10\n", "defaultPrim = \"scene\""})
        EXPECT_NE(layer.find(line), std::string::npos) << line;
    const Prim* scene = stage->child("scene");
    ASSERT_NE(scene, nullptr);
    const Prim* mesh = scene->child("jelly_sheet");
    ASSERT_NE(mesh, nullptr);
    EXPECT_EQ(mesh->type, "Mesh");
    EXPECT_EQ(mesh->attributes.at("token subdivisionScheme").value, "none");
    EXPECT_EQ(mesh->attributes.at("string pliant:name").value, "jelly sheet");
    EXPECT_EQ(mesh->attributes.at("color3f[] primvars:displayColor").value, "(0.9, 0.25, 0.1)");
    EXPECT_EQ(mesh->attributes.at("point3f[] points").samples.size(), 11u);
    EXPECT_EQ(mesh->attributes.at("int[] faceVertexIndices").order, (std::vector<double>{0, 5}));
    for (const auto& [name, attribute] : mesh->attributes)
        EXPECT_TRUE(std::is_sorted(attribute.order.begin(), attribute.order.end())) << name;
    const Prim* floor = scene->child("floor");
    ASSERT_NE(floor, nullptr);
    EXPECT_TRUE(floor->attributes.at("point3f[] points").samples.empty());  // it stays: one value
    for (int i = 0; i < 11; ++i) {
        const Frame frame = wave_frame(i, 6, 5);
        check_mesh(*mesh, frame.bodies[0], i);
        check_mesh(*floor, frame.bodies[1], i);
    }
}

TEST(SinkUsd, StageIsValidAfterEveryFrame) {
    TemporaryDirectory dir;
    const auto sink = make_sinks("usd", dir.path);
    sink[0]->begin(usd_info);
    for (int i = 0; i < 20; ++i) {
        sink[0]->write(wave_frame(i, 2));
        const auto stage = parse(dir.path / "wave.usda");
        const std::size_t frames = std::max<std::size_t>(
            1, stage->child("scene")->child("jelly_sheet")->attributes.at("point3f[] points").samples.size());
        EXPECT_GE(2 * frames, std::size_t(i) + 1);
    }
}

TEST(SinkUsd, BodiesThatComeAndGoAreInvisibleMeanwhile) {
    const auto make = [](int i) {
        Frame frame = wave_frame(i, 2);
        if (i < 3 || i > 6) frame.bodies.erase(frame.bodies.begin());
        return frame;
    };
    TemporaryDirectory whole, resumed;
    const auto run = [&](const fs::path& directory, int begin, int end, bool finish) {
        const auto sink = make_sinks("usd", directory);
        sink[0]->begin(usd_info);
        for (int i = begin; i < end; ++i) sink[0]->write(make(i));
        if (finish) sink[0]->finish();
    };
    run(whole.path, 0, 10, true);
    const auto stage = parse(whole.path / "wave.usda");
    const Attribute& shown = stage->child("scene")->child("jelly_sheet")->attributes.at("token visibility");
    EXPECT_EQ(shown.samples, (std::map<double, std::string>{{0, "invisible"}, {3, "inherited"}, {7, "invisible"}}));
    EXPECT_FALSE(stage->child("scene")->child("floor")->attributes.contains("token visibility"));
    for (const int cut : {1, 2, 4, 5, 8, 9}) {
        run(resumed.path, 0, cut, cut % 2 == 0);
        run(resumed.path, cut, 10, true);
        EXPECT_TRUE(contents(whole.path / "wave.usda") == contents(resumed.path / "wave.usda")) << cut;
    }
}

TEST(SinkUsd, BodyThatStartsToMoveDoesNotDriftBefore) {
    // Samples are blended: the last frame at rest must have one of its own.
    TemporaryDirectory dir;
    const auto sink = make_sinks("usd", dir.path);
    sink[0]->begin(usd_info);
    for (int i = 0; i < 10; ++i) {
        Frame frame = wave_frame(0, 2);
        frame.index = i;
        if (i >= 6)
            for (Vec3& p : frame.bodies[1].points) p.y() -= i;
        sink[0]->write(frame);
    }
    sink[0]->finish();
    const auto stage = parse(dir.path / "wave.usda");
    const Prim* floor = stage->child("scene")->child("floor");
    EXPECT_EQ(floor->attributes.at("double3 xformOp:translate").order, (std::vector<double>{0, 5, 6, 7, 8, 9}));
    EXPECT_EQ(floor->attributes.at("quatf xformOp:orient").value, "1, 0, 0, 0");
    EXPECT_TRUE(floor->attributes.at("point3f[] points").samples.empty());
}

/// What moves as a whole has its points once, and per frame where it is and how it is turned, also where the run was
/// stopped between; a frame in which it does not has its own points.
TEST(SinkUsd, WhatMovesAsAWholeHasItsPointsOnce) {
    for (const bool bent : {false, true}) {
        SCOPED_TRACE(bent);
        const auto make = [&](int i) {
            Frame frame = wave_frame(0, 4);
            frame.index = i;
            BodyFrame& body = frame.bodies[0];
            body.kind = "rigid";
            const Quat turn(Eigen::AngleAxisd(0.4 * i, Vec3(1, 2, -1).normalized()));
            for (Vec3& p : body.points) p = turn * p + Vec3(0.1 * i, 1 - 0.3 * i * i, 0.02 * i);
            for (Vec3& n : body.normals) n = turn * n;
            if (bent && i == 3) body.points[5].y() += 0.2;
            return frame;
        };
        TemporaryDirectory whole, resumed;
        const auto run = [&](const fs::path& directory, int begin, int end, bool finish) {
            const auto sink = make_sinks("usd", directory);
            sink[0]->begin(usd_info);
            for (int i = begin; i < end; ++i) sink[0]->write(make(i));
            if (finish) sink[0]->finish();
        };
        run(whole.path, 0, 8, true);
        const auto stage = parse(whole.path / "wave.usda");
        const Prim* body = stage->child("scene")->child("jelly_sheet");
        EXPECT_EQ(body->attributes.at("point3f[] points").samples.empty(), !bent);
        EXPECT_EQ(body->attributes.at("normal3f[] normals").samples.empty(), !bent);
        EXPECT_EQ(body->attributes.at("quatf xformOp:orient").samples.size(), 8U);
        double worst = 0;
        for (int i = 0; i < 8; ++i) worst = std::max(worst, farthest(world_points(*body, i), make(i).bodies[0].points));
        std::printf("largest distance from where it was: %.1e m\n", worst);
        EXPECT_LT(worst, 2e-6);  // of 1 m and at up to 14 m: a float's digits
        for (const int cut : {1, 3, 4, 7}) {
            run(resumed.path, 0, cut, cut % 2 == 0);
            run(resumed.path, cut, 8, true);
            EXPECT_TRUE(contents(whole.path / "wave.usda") == contents(resumed.path / "wave.usda")) << cut;
        }
    }
}

/// A cube with hard edges has 24 normals for its 36 corners, and says once who has which, through a stop too.
TEST(SinkUsd, CornersThatShareANormalSaySoByIndex) {
    const auto make = [](int i) {
        Frame frame;
        frame.index = i;
        BodyFrame& body = frame.bodies.emplace_back();
        body.name = "cube", body.kind = "fem";
        for (int p = 0; p < 8; ++p) body.points.emplace_back(p & 1, (p >> 1) & 1, (1 + 0.1 * i) * ((p >> 2) & 1));
        body.normals.assign(8, Vec3::UnitY());
        body.surface_revision = 1;
        body.triangles = std::make_shared<const std::vector<Tri>>(std::vector<Tri>{{0, 2, 3},
                                                                                   {0, 3, 1},
                                                                                   {4, 5, 7},
                                                                                   {4, 7, 6},
                                                                                   {0, 1, 5},
                                                                                   {0, 5, 4},
                                                                                   {2, 6, 7},
                                                                                   {2, 7, 3},
                                                                                   {0, 4, 6},
                                                                                   {0, 6, 2},
                                                                                   {1, 3, 7},
                                                                                   {1, 7, 5}});
        auto brought = std::make_shared<SurfaceAttributes>();
        const std::vector<Vec3> of_triangles(36, Vec3::Zero());
        set_corner_normals(*brought, body.points, *body.triangles, of_triangles);
        body.attributes = brought;
        return frame;
    };
    TemporaryDirectory whole, resumed;
    const auto run = [&](const fs::path& directory, int begin, int end) {
        const auto sink = make_sinks("usd", directory);
        sink[0]->begin(usd_info);
        for (int i = begin; i < end; ++i) sink[0]->write(make(i));
        sink[0]->finish();
    };
    run(whole.path, 0, 5);
    run(resumed.path, 0, 2);
    run(resumed.path, 2, 5);
    EXPECT_TRUE(contents(whole.path / "wave.usda") == contents(resumed.path / "wave.usda"));
    const auto stage = parse(whole.path / "wave.usda");
    const auto& attributes = stage->child("scene")->child("cube")->attributes;
    EXPECT_FALSE(attributes.contains("normal3f[] normals"));
    const std::vector<double> index = numbers(attributes.at("int[] primvars:normals:indices").value);
    ASSERT_EQ(index.size(), 36U);
    const std::vector<Vec3> wanted = corner_normals(make(3).bodies[0]);
    const std::vector<double> found = numbers(at(attributes.at("normal3f[] primvars:normals"), 3));
    EXPECT_EQ(found.size(), 3U * 24);
    for (std::size_t c = 0; c < 36; ++c)
        for (std::size_t k = 0; k < 3; ++k)
            EXPECT_NEAR(found.at(3 * std::size_t(index[c]) + k), wanted[c][static_cast<int>(k)], 1e-4) << c;
}

TEST(SinkUsd, DoesNotContinueAForeignStage) {
    TemporaryDirectory dir;
    std::ofstream(dir.path / "wave.usda") << "#usda 1.0\n(\n    endTimeCode = 9\n)\ndef Xform \"other\"\n{\n}\n";
    const auto sink = make_sinks("usd", dir.path);
    sink[0]->begin(usd_info);
    EXPECT_THROW(sink[0]->write(wave_frame(5)), UserError);
}

TEST(SinkUsd, DamagedPartIsNamed) {
    TemporaryDirectory dir;
    {
        const auto sink = make_sinks("usd", dir.path);
        sink[0]->begin(usd_info);
        for (int i = 0; i < 6; ++i) sink[0]->write(wave_frame(i, 2));  // 0, 1, 2 in the stage
    }
    const fs::path part = dir.path / "usd.parts" / "000005.part";
    std::string bytes = contents(part);
    bytes[bytes.size() / 2] ^= 1;
    std::ofstream(part, std::ios::binary) << bytes;
    const auto sink = make_sinks("usd", dir.path);
    sink[0]->begin(usd_info);
    try {
        sink[0]->write(wave_frame(6, 2));
        FAIL() << "no error";
    } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find("000005.part"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace pliant
