#include "page_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <cmath>

#include "camera_file.hpp"
#include "page_record.hpp"
#include "pliant/core/error.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/frame_file.hpp"
#include "pliant/io/json_writer.hpp"
#include "pliant/server/json.hpp"
#include "pliant/server/sha1.hpp"
#include "record.hpp"
#include "studio_session.hpp"
#ifdef PLIANT_WITH_SOUND
#include "pliant/sound/wav.hpp"
#endif

namespace pliant {

namespace {

std::string deflated(const std::string& bytes) {
    uLongf size = compressBound(static_cast<uLong>(bytes.size()));
    std::string out(size, '\0');
    const int status = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                                 reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()), 9);
    CHECK(status == Z_OK, status, bytes.size());
    out.resize(size);
    return out;
}

/// Puts `by` where `what` is; the page's own text is meant, so it must be there.
void put(std::string& text, std::string_view what, const std::string& by) {
    const std::size_t at = text.find(what);
    if (at == std::string::npos)
        throw UserError("the studio's page lacks '" + std::string(what) + "'", {},
                        "Its files are of another version than the program: install both again");
    text.replace(at, what.size(), by);
}

std::string html_text(const std::string& text) {
    std::string out;
    for (char c : text) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
    return out;
}

/// In a script element, "</script" would end it.
std::string script_text(std::string text) {
    for (std::size_t at = 0; (at = text.find("</", at)) != std::string::npos; at += 3) text.replace(at, 2, "<\\/");
    return text;
}

}  // namespace

std::string packed_element(const std::string& id, const std::string& bytes) {
    return "<script type=\"text/plain\" id=\"" + id + "\">" + base64(deflated(bytes)) + "</script>\n";
}

std::string page_with(const std::string& title, const std::string& payload) {
    const std::map<std::string, Asset> assets = studio_assets();
    const auto file = [&](const std::string& name) -> const std::string& {
        const auto found = assets.find(name);
        if (found == assets.end()) throw UserError("the studio's page lacks its file " + name, {}, "Install it again");
        return *found->second.bytes;
    };
    JsonWriter modules;
    modules.begin_object();
    for (const auto& [name, asset] : assets)
        if (asset.type.rfind("text/javascript", 0) == 0 && name != "theme.js" && name != "unpack.js")
            modules.entry(name, *asset.bytes);
    modules.end_object();
    std::string html = file("index.html");
    const std::string icon = "data:image/svg+xml;base64," + base64(file("icon.svg"));
    put(html, "<title>Pliant Studio</title>", "<title>" + html_text(title) + "</title>");
    put(html, "href=\"icon.svg\"", "href=\"" + icon + "\"");
    put(html, "src=\"icon.svg\"", "src=\"" + icon + "\"");
    put(html, "<link rel=\"stylesheet\" href=\"vendor/uplot.css\">", "<style>" + file("vendor/uplot.css") + "</style>");
    put(html, "<link rel=\"stylesheet\" href=\"style.css\">", "<style>" + file("style.css") + "</style>");
    put(html, "<script src=\"theme.js\"></script>", "<script>" + script_text(file("theme.js")) + "</script>");
    put(html, "<script type=\"module\" src=\"main.js\"></script>", "");
    put(html, "</body>",
        packed_element("modules", modules.take()) + payload + "<script>" + script_text(file("unpack.js")) +
            "</script>\n</body>");
    return html;
}

PageFile make_page(const std::filesystem::path& directory, const std::string& name) {
    PageFile page;
    RunDirectory run(directory);
    PageRecord record(run.info());
    for (int i = 0; i < run.frame_count(); ++i) record.add(run.load(i));
    page.frames = record.frame_count();
    std::vector<std::int16_t> samples;
    int channels = 1, rate = 44100;
#ifdef PLIANT_WITH_SOUND
    if (const std::string wav = sound_of_run(directory); !wav.empty()) {
        const Audio audio = decode_wav(read_file(wav), wav);
        channels = audio.channels, rate = audio.rate;
        for (double s : audio.samples)
            samples.push_back(static_cast<std::int16_t>(std::lround(32767 * std::clamp(s, -1.0, 1.0))));
        page.sound = true;
    }
#endif
    std::vector<std::string> about{"\"name\": " + json_text(valid_utf8(name)),
                                   "\"scene\": " + json_text(valid_utf8(run.info().scene)),
                                   "\"version\": " + json_text(PLIANT_VERSION)};
    if (const auto camera = read_camera(directory)) {
        JsonWriter json;
        json.begin_line();
        json.begin_object();
        write_vector(json, "eye", camera->eye);
        write_vector(json, "target", camera->target);
        json.entry("fov", camera->fov);
        json.end_object();
        about.push_back("\"camera\": " + line_of(json));
    }
    const std::string payload = packed_element("record", record.bytes(about, samples, channels, rate));
    page.record_mb = static_cast<double>(payload.size()) / 1e6;
    page.html = page_with(name, payload);
    return page;
}

}  // namespace pliant
