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
