// The pictures of the README show what the program does: each is made anew, small, and compared with the one that is
// there. Edges and shades may differ, what is seen where may not.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>

#include "../scenes/pliant_process.hpp"
#include "pliant/core/types.hpp"
#include "pliant/render/image.hpp"
#include "pliant/render/png.hpp"

namespace pliant::test {
namespace {

struct View {
    std::string scene, frame;
    std::vector<std::string> flags;
};

/// The sheet on top of the README, and the lines of tools/views.txt that are marked as of it.
std::vector<View> gallery() {
    std::vector<View> views{{"quickstart", "100", {"--sheet", "3x1", "--size", "88x76"}}};
    std::ifstream in(fs::path(PLIANT_SOURCE_DIR) / "tools/views.txt");
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string mark, word;
        View view;
        if (!(words >> mark >> view.scene >> view.frame) || mark != "*") continue;
        while (words >> word) view.flags.push_back(word);
        views.push_back(view);
    }
    return views;
}

constexpr int columns = 16, rows = 10;
using Tiles = std::array<Vec3, columns * rows>;

/// Mean colours of the tiles of a picture, 0 … 1.
Tiles tiles_of(const Image& image) {
    Tiles tiles;
    tiles.fill(Vec3::Zero());
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
            const int x0 = image.width * c / columns, x1 = image.width * (c + 1) / columns;
            const int y0 = image.height * r / rows, y1 = image.height * (r + 1) / rows;
            for (int y = y0; y < y1; ++y)
                for (int x = x0; x < x1; ++x)
                    for (int k = 0; k < 3; ++k)
                        tiles[r * columns + c][k] += image.rgb[3 * (std::size_t(y) * image.width + x) + k] / 255.0;
            tiles[r * columns + c] /= double(x1 - x0) * (y1 - y0);
        }
    return tiles;
}

/// How much of what differs from tile to tile is the same in both: 1 for the same picture, about 0 for two of different
/// things before the same backdrop. The backdrop, a colour per row, is taken off.
double likeness(Tiles a, Tiles b) {
    for (Tiles* t : {&a, &b})
        for (int r = 0; r < rows; ++r) {
            const Vec3 backdrop = 0.5 * ((*t)[r * columns] + (*t)[(r + 1) * columns - 1]);
            for (int c = 0; c < columns; ++c) (*t)[r * columns + c] -= backdrop;
        }
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) ab += a[i].dot(b[i]), aa += a[i].squaredNorm(), bb += b[i].squaredNorm();
    return ab / std::sqrt(aa * bb);
}

Image read(const fs::path& path) { return read_png(content(path)); }

Image fresh(const View& view, const fs::path& folder) {
    const std::string run = (folder / "run").string(), picture = (folder / "small.png").string();
    // A scene that is stopped before its end does not meet what it expects there.
    run_pliant({"run", view.scene, "--out", run, "--frames", view.frame, "--quiet"}, folder);
    std::vector<std::string> words{"render", run, "--quality", "preview", "-o", picture};
    words.insert(words.end(), view.flags.begin(), view.flags.end());
    if (std::find(view.flags.begin(), view.flags.end(), "--sheet") == view.flags.end())
        words.insert(words.end(), {"--frame", view.frame, "--size", "160x100"});
    const Outcome outcome = run_pliant(words, folder);
    EXPECT_EQ(outcome.status, 0) << outcome.words;
    return read(picture);
}

/// Whether some scene of the list looks as its picture does, and least like the pictures of the others.
void compare(const std::vector<View>& views) {
    for (const View& view : views) {
        TemporaryFolder folder;
        const Tiles now = tiles_of(fresh(view, folder.path));
        double own = 0, others = -1;
        for (const View& other : gallery()) {
            const std::string name = fs::path(other.scene).filename().string() + ".png";
            const double alike = likeness(now, tiles_of(read(fs::path(PLIANT_SOURCE_DIR) / "docs/pictures" / name)));
            if (other.scene == view.scene)
                own = alike;
            else
                others = std::max(others, alike);
        }
        std::cout << view.scene << ": " << own << " like its picture, at most " << others << " like another\n";
        EXPECT_GT(own, others) << view.scene;
        EXPECT_GT(own, 0.8) << view.scene << " has changed: make its picture anew with tools/gallery " << view.scene;
    }
}

TEST(Gallery, PicturesAreOfThePresentProgram) {
    std::vector<View> views = gallery();
    ASSERT_GT(views.size(), 10u);
    // What takes longer than a few seconds to run up to its frame is left to the soak.
    std::erase_if(views, [](const View& v) { return v.scene == "letters" || v.scene == "virtual-materials/snake"; });
    compare(views);
}

/// The start page of the studio shows a picture for each scene, and no picture of a scene that is gone.
TEST(Gallery, EveryShippedSceneHasASmallPicture) {
    const fs::path root(PLIANT_SOURCE_DIR);
    std::vector<std::string> wanted, found;
    for (const fs::path& scene : all_scenes()) {
        std::string name = scene.lexically_relative(root / "scenes").replace_extension(".jpg").string();
        std::replace(name.begin(), name.end(), '/', '-');
        wanted.push_back(name);
    }
    for (const auto& entry : fs::directory_iterator(root / "web/thumbs"))
        found.push_back(entry.path().filename().string());
    std::sort(wanted.begin(), wanted.end());
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, wanted) << "tools/thumbnails makes them";
}

TEST(SoakGallery, PicturesAreOfThePresentProgram) { compare(gallery()); }

}  // namespace
}  // namespace pliant::test
