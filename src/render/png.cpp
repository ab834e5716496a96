#include "pliant/render/png.hpp"

#include <png.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "pliant/core/error.hpp"

namespace pliant {

namespace {

// libpng leaves its functions by longjmp when it fails. Everything that owns memory therefore lives in these
// structs, outside the function that calls setjmp.
struct Writer {
    png_structp png = nullptr;
    png_infop info = nullptr;
    std::string bytes;
    ~Writer() { png_destroy_write_struct(&png, &info); }
};

void append(png_structp png, png_bytep data, png_size_t size) {
    static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(data), size);
}

bool encode(Writer& writer, const Image& image, int level) {
    if (setjmp(png_jmpbuf(writer.png))) return false;
    png_set_write_fn(writer.png, &writer.bytes, append, nullptr);
    png_set_compression_level(writer.png, level);
    png_set_IHDR(writer.png, writer.info, png_uint_32(image.width), png_uint_32(image.height), 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(writer.png, writer.info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(writer.png, writer.info);
    for (int y = 0; y < image.height; ++y) png_write_row(writer.png, image.at(0, y));
    png_write_end(writer.png, writer.info);
    return true;
}

}  // namespace

std::string png_bytes(const Image& image, int level) {
    CHECK(image.width > 0 && image.height > 0, image.width, image.height);
    Writer writer;
    writer.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    CHECK(writer.png != nullptr, image.width);
    writer.info = png_create_info_struct(writer.png);
    CHECK(writer.info != nullptr, image.width);
    const bool ok = encode(writer, image, level);
    CHECK(ok, image.width, image.height);
    return std::move(writer.bytes);
}

Image read_png(std::string_view bytes) {
    png_image header;
    std::memset(&header, 0, sizeof header);
    header.version = PNG_IMAGE_VERSION;
    // The limit keeps a few malicious bytes from asking for gigabytes.
    constexpr png_uint_32 largest = 32768;
    const bool begun = png_image_begin_read_from_memory(&header, bytes.data(), bytes.size()) != 0;
    if (!begun || header.width > largest || header.height > largest) {
        const std::string cause = begun ? "it is too large" : header.message;
        png_image_free(&header);
        throw UserError("this is not a PNG picture that can be read: " + cause);
    }
    header.format = PNG_FORMAT_RGB;
    Image image(int(header.width), int(header.height));
    if (png_image_finish_read(&header, nullptr, image.rgb.data(), 0, nullptr) == 0) {
        const std::string cause = header.message;
        png_image_free(&header);
        throw UserError("this PNG picture is damaged: " + cause);
    }
    return image;
}

}  // namespace pliant
