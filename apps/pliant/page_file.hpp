#pragma once
// One HTML file that plays a run in any browser, from disk: the studio's page with all its modules, and the record.

#include <filesystem>
#include <string>
#include <string_view>

namespace pliant {

struct PageFile {
    std::string html;
    int frames = 0;
    double record_mb = 0;  ///< of the record, compressed
    bool sound = false;
};

/// Of a run on disk. name: what the page is called. UserError when the run cannot be read or the studio's page is not
/// installed.
PageFile make_page(const std::filesystem::path& run, const std::string& name);

/// The studio's page with its modules inside and nothing to show; `payload` are script elements for its head.
std::string page_with(const std::string& title, const std::string& payload);

/// Compressed (zlib, RFC 1950) and as base64 in a script element that a page finds by its id.
std::string packed_element(const std::string& id, const std::string& bytes);

}  // namespace pliant
