#pragma once
// The arrays of VTK's XML files: where each lies and how it is coded (ascii, base64, appended; zlib or plain).

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/io/text_reader.hpp"

namespace pliant {

/// One start tag: its name, its attributes, and where its content begins.
struct XmlTag {
    std::string name;
    std::map<std::string, std::string, std::less<>> attributes;
    std::size_t start = 0, content = 0;
    bool closing = false, empty = false;

    std::string attribute(std::string_view key, std::string_view fallback = "") const;
};

/// Goes from tag to tag through the text part of a file; comments and declarations are passed over.
class XmlReader {
public:
    XmlReader(std::string_view text, std::string name) : in_(text, std::move(name)) {}
    /// False at the end of the file.
    bool next(XmlTag& tag);
    void seek(std::size_t position) { in_.seek(position); }
    TextReader& text() { return in_; }

private:
    TextReader in_;
};

/// A DataArray as its tag describes it.
struct VtuArray {
    std::string section;  ///< Points, Cells, CellData …
    std::string name, type, format;
    long long components = 1;
    std::size_t content = 0, content_end = 0;  ///< inline text
    std::uint64_t offset = 0;                  ///< into the appended data
};

/// How a file codes its arrays, and the budget for what it unpacks to.
struct VtuCoding {
    bool big_endian = false;
    bool wide_header = false;  ///< header_type UInt64
    bool zlib = false;
    bool appended_raw = false;
    std::size_t appended = 0;       ///< where the appended data starts, after its '_'
    std::uint64_t unpack_left = 0;  ///< bytes of 8-byte values that may still come of arrays
};

/// The values of an array as doubles or whole numbers.
std::vector<double> vtu_reals(const TextReader& file, VtuCoding& coding, const VtuArray& array);
std::vector<long long> vtu_integers(const TextReader& file, VtuCoding& coding, const VtuArray& array);

}  // namespace pliant
