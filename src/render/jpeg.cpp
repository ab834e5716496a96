#include "pliant/render/jpeg.hpp"

#include <csetjmp>
#include <cstdio>  // which the next one takes for granted

#include <jpeglib.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "pliant/core/error.hpp"

namespace pliant {

namespace {

// libjpeg ends the program when it fails, unless its handler is left by longjmp. Everything that owns memory therefore
// lives in structs outside the function that calls setjmp.
struct JpegFailure {
    jpeg_error_mgr errors{};
    std::jmp_buf failed;
    char message[JMSG_LENGTH_MAX] = "";
};

struct Reader {
    jpeg_decompress_struct jpeg{};
    JpegFailure failure;
    Image image;
    ~Reader() { jpeg_destroy_decompress(&jpeg); }
};

struct JpegWriter {
    jpeg_compress_struct jpeg{};
    JpegFailure failure;
    unsigned char* bytes = nullptr;
    unsigned long size = 0;
    ~JpegWriter() {
        jpeg_destroy_compress(&jpeg);
        std::free(bytes);
    }
};

[[noreturn]] void fail_jpeg(j_common_ptr common) {
    auto* failure = static_cast<JpegFailure*>(common->client_data);
    common->err->format_message(common, failure->message);
    std::longjmp(failure->failed, 1);
}

bool encode_jpeg(JpegWriter& writer, const Image& image, int quality) {
    jpeg_compress_struct& jpeg = writer.jpeg;
    jpeg.err = jpeg_std_error(&writer.failure.errors);
    writer.failure.errors.error_exit = fail_jpeg;
    jpeg.client_data = &writer.failure;
    if (setjmp(writer.failure.failed)) return false;
    jpeg_create_compress(&jpeg);
    jpeg.client_data = &writer.failure;
    jpeg_mem_dest(&jpeg, &writer.bytes, &writer.size);
    jpeg.image_width = JDIMENSION(image.width), jpeg.image_height = JDIMENSION(image.height);
    jpeg.input_components = 3, jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, quality, TRUE);
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < jpeg.image_height) {
        JSAMPROW row = const_cast<JSAMPROW>(image.at(0, int(jpeg.next_scanline)));  // libjpeg reads from it
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    return true;
}

bool decode(Reader& reader, std::string_view bytes) {
    jpeg_decompress_struct& jpeg = reader.jpeg;
    jpeg.err = jpeg_std_error(&reader.failure.errors);
    reader.failure.errors.error_exit = fail_jpeg;
    reader.failure.errors.output_message = [](j_common_ptr) {};  // warnings of files that are read all the same
    jpeg.client_data = &reader.failure;
    if (setjmp(reader.failure.failed)) return false;
    jpeg_create_decompress(&jpeg);
    jpeg.client_data = &reader.failure;
    jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&jpeg, TRUE);
    constexpr JDIMENSION largest = 32768;  // as of PNG: a few bytes must not ask for gigabytes
    if (jpeg.image_width > largest || jpeg.image_height > largest) {
        std::snprintf(reader.failure.message, sizeof reader.failure.message, "it is too large");
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

std::string jpeg_bytes(const Image& image, int quality) {
    JpegWriter writer;
    if (!encode_jpeg(writer, image, quality))
        throw UserError("the picture cannot be written as JPEG: " + std::string(writer.failure.message));
    return {reinterpret_cast<const char*>(writer.bytes), writer.size};
}

Image read_jpeg(std::string_view bytes) {
    Reader reader;
    if (!decode(reader, bytes))
        throw UserError("this is not a JPEG picture that can be read: " + std::string(reader.failure.message));
    return std::move(reader.image);
}

}  // namespace pliant
