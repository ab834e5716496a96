#include "pliant/render/jpeg.hpp"

#include <csetjmp>
#include <cstdio>  // which the next one takes for granted

#include <jpeglib.h>

#include <string>
#include <utility>

#include "pliant/core/error.hpp"

namespace pliant {

namespace {

// libjpeg ends the program when it fails, unless its handler is left by longjmp. Everything that owns memory therefore
// lives in this struct, outside the function that calls setjmp.
struct Reader {
    jpeg_decompress_struct jpeg{};
    jpeg_error_mgr errors{};
    std::jmp_buf failed;
    char message[JMSG_LENGTH_MAX] = "";
    Image image;
    ~Reader() { jpeg_destroy_decompress(&jpeg); }
};

[[noreturn]] void fail(j_common_ptr common) {
    auto* reader = static_cast<Reader*>(common->client_data);
    common->err->format_message(common, reader->message);
    std::longjmp(reader->failed, 1);
}

bool decode(Reader& reader, std::string_view bytes) {
    jpeg_decompress_struct& jpeg = reader.jpeg;
    jpeg.err = jpeg_std_error(&reader.errors);
    reader.errors.error_exit = fail;
    reader.errors.output_message = [](j_common_ptr) {};  // warnings of files that are read all the same
    jpeg.client_data = &reader;
    if (setjmp(reader.failed)) return false;
    jpeg_create_decompress(&jpeg);
    jpeg.client_data = &reader;
    jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&jpeg, TRUE);
    constexpr JDIMENSION largest = 32768;  // as of PNG: a few bytes must not ask for gigabytes
    if (jpeg.image_width > largest || jpeg.image_height > largest) {
        std::snprintf(reader.message, sizeof reader.message, "it is too large");
        return false;
    }
    jpeg.out_color_space = JCS_RGB;
    jpeg_start_decompress(&jpeg);
    reader.image = Image(int(jpeg.output_width), int(jpeg.output_height));
    while (jpeg.output_scanline < jpeg.output_height) {
        JSAMPROW row = reader.image.at(0, int(jpeg.output_scanline));
        jpeg_read_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_decompress(&jpeg);
    return true;
}

}  // namespace

Image read_jpeg(std::string_view bytes) {
    Reader reader;
    if (!decode(reader, bytes))
        throw UserError("this is not a JPEG picture that can be read: " + std::string(reader.message));
    return std::move(reader.image);
}

}  // namespace pliant
