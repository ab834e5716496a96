#include "pliant/render/brought_pictures.hpp"

#include <array>
#include <cmath>

#include "pliant/core/error.hpp"
#include "pliant/render/jpeg.hpp"
#include "pliant/render/png.hpp"
#include "pliant/render/tone.hpp"

namespace pliant {

std::shared_ptr<const Image> BroughtPictures::decoded(const std::shared_ptr<const PictureFile>& file) {
    const std::lock_guard lock(mutex_);
    const auto [found, is_new] = known_.try_emplace(file);
    if (is_new) {
        try {
            const bool jpeg = file->bytes.starts_with("\xff\xd8\xff");
            found->second = std::make_shared<const Image>(jpeg ? read_jpeg(file->bytes) : read_png(file->bytes));
        } catch (const UserError& error) {  // the body then has the material's numbers alone
            unreadable_.push_back("the picture " + file->name + " is not shown: " + error.message());
        }
    }
    return found->second;
}

std::vector<std::string> BroughtPictures::unreadable() {
    const std::lock_guard lock(mutex_);
    return unreadable_;
}

namespace {

using ByteValues = std::array<float, 256>;

template <class Value>
ByteValues byte_values(Value&& value) {
    ByteValues table{};
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = value(float(i) / 255);
    return table;
}

Vec3f blended(const Image& picture, float u, float v, const ByteValues& value_of) {
    // Pixels have their colours in their middles; the first row is at v = 1.
    const float x = (u - std::floor(u)) * float(picture.width) - 0.5f;
    const float y = (1 - (v - std::floor(v))) * float(picture.height) - 0.5f;
    const float left = std::floor(x), top = std::floor(y);
    Vec3f color = Vec3f::Zero();
    for (int k = 0; k < 4; ++k) {
        const int right = k & 1, below = k >> 1;
        const float share = (right ? x - left : 1 - (x - left)) * (below ? y - top : 1 - (y - top));
        const std::uint8_t* pixel = picture.at((int(left) + right + picture.width) % picture.width,
                                               (int(top) + below + picture.height) % picture.height);
        for (int c = 0; c < 3; ++c) color[c] += share * value_of[pixel[c]];
    }
    return color;
}

}  // namespace

Vec3f picture_color(const Image& picture, float u, float v) {
    static const ByteValues linear = byte_values(linear_from_srgb);
    return blended(picture, u, v, linear);
}

Vec3f picture_numbers(const Image& picture, float u, float v) {
    static const ByteValues plain = byte_values([](float byte) { return byte; });
    return blended(picture, u, v, plain);
}

}  // namespace pliant
