#include "pliant/io/texture_files.hpp"

#include <algorithm>

#include "pliant/core/error.hpp"
#include "pliant/io/file.hpp"

namespace pliant {

std::shared_ptr<const PictureFile> brought_picture(const MeshSource& source, std::string path,
                                                   std::vector<std::string>& notes) {
    std::replace(path.begin(), path.end(), '\\', '/');
    const std::string name = path.substr(path.rfind('/') + 1);
    if (name.empty()) return nullptr;
    for (const std::string& place : {path, name}) {
        try {
            if (auto bytes = source.beside ? source.beside(place) : std::nullopt)
                return std::make_shared<const PictureFile>(PictureFile{name, std::move(*bytes)});
        } catch (const UserError&) {  // it is elsewhere on the artist's machine
        }
    }
    notes.push_back("the picture " + name + " is not beside it and is left out");
    return nullptr;
}

std::string media_type(std::string_view bytes) {
    if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
    if (bytes.starts_with("\xff\xd8\xff")) return "image/jpeg";
    return "";
}

bool has_colors(std::string_view bytes) {
    const auto byte = [&](std::size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U; };
    if (media_type(bytes) == "image/png") return (byte(25) & 2) != 0 || bytes.size() < 26;  // colour type, in IHDR
    if (media_type(bytes) != "image/jpeg") return true;
    // Segments of a marker and a length, up to the one that begins a frame (SOF, with C4, C8 and CC left out).
    for (std::size_t at = 2; byte(at) == 0xff;) {
        const unsigned marker = byte(at + 1);
        if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc)
            return byte(at + 9) != 1;  // components
        at += 2 + (byte(at + 2) << 8 | byte(at + 3));
    }
    return true;
}

std::string TextureFolder::place(const std::shared_ptr<const PictureFile>& picture) {
    if (!picture) return "";
    std::string name = picture->name;
    for (char& c : name) {  // letters that mean something in .mtl or USD
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= 32 || byte == 127 || std::string_view("@\"\\/:").find(c) != std::string_view::npos) c = '_';
    }
    const std::filesystem::path given(name);
    for (int n = 1;; ++n) {
        const std::string number = n == 1 ? "" : "_" + std::to_string(n);
        const std::string path = "textures/" + given.stem().string() + number + given.extension().string();
        const auto [found, is_new] = placed_.try_emplace(path, picture);
        if (!is_new && found->second != picture && *found->second != *picture) continue;
        if (is_new) {
            ensure_directory((directory_ / "textures").string());
            write_file_atomic((directory_ / path).string(), picture->bytes);
        }
        return path;
    }
}

}  // namespace pliant
