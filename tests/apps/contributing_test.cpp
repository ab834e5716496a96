// What CONTRIBUTING.md shows as code is compiled and tested elsewhere, and the files it names are there.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace pliant {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(in.good()) << path;
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

const fs::path root = PLIANT_SOURCE_DIR;

/// A block of C++, and the text since the block before it.
struct Quote {
    int line;
    std::string text, code;
};

std::vector<Quote> quotes() {
    std::istringstream page(content_of(root / "CONTRIBUTING.md"));
    std::vector<Quote> list;
    std::string line, text;
    std::size_t indent = 0;
    bool inside = false;
    for (int number = 1; std::getline(page, line); ++number) {
        const std::size_t first = line.find_first_not_of(' ');
        const bool fence = first != std::string::npos && line.compare(first, 3, "```") == 0;
        if (fence && !inside) {
            EXPECT_EQ(line.substr(first), "```cpp") << "line " << number;
            inside = true, indent = first;
            list.push_back({number, std::exchange(text, {}), {}});
        } else if (fence) {
            inside = false;
        } else if (inside) {
            list.back().code += (line.size() > indent ? line.substr(indent) : "") + "\n";
        } else {
            text += line + "\n";
        }
    }
    return list;
}

// The file that a block is from is the last one named before it. Parts of a block that are separated by an empty line
// may be apart in the file.
TEST(Contributing, QuotesWhatIsCompiledAndTested) {
    const std::vector<Quote> all = quotes();
    EXPECT_GE(all.size(), 2u);
    for (const Quote& quote : all) {
        static const std::regex name("`(tests/[a-z_/]+\\.hpp)`");
        std::string from;
        for (std::sregex_iterator i(quote.text.begin(), quote.text.end(), name), end; i != end; ++i) from = (*i)[1];
        ASSERT_FALSE(from.empty()) << "line " << quote.line << ": which file is this from?";
        const std::string source = content_of(root / from);
        std::size_t begin = 0;
        while (begin < quote.code.size()) {
            std::size_t end = quote.code.find("\n\n", begin);
            end = end == std::string::npos ? quote.code.size() : end + 1;
            const std::string part = quote.code.substr(begin, end - begin);
            EXPECT_NE(source.find(part), std::string::npos) << from << " does not have\n" << part;
            begin = end + (end < quote.code.size());
        }
    }
}

TEST(Contributing, NamesFilesThatAreThere) {
    const std::string page = content_of(root / "CONTRIBUTING.md");
    // What the reader is to write.
    const std::set<std::string> to_come{"src/material/my_law.hpp", "src/material/my_flow.cpp", "src/io/sink_speed.cpp",
                                        "src/body/drift_kick_drift.cpp", "tests/io/sink_speed_test.cpp"};
    static const std::regex name("`((src|tests|apps|scenes|docs|tools)/[A-Za-z0-9_/.-]+\\.[a-z]+)`");
    int files = 0;
    for (std::sregex_iterator i(page.begin(), page.end(), name), end; i != end; ++i) {
        const std::string file = (*i)[1];
        if (to_come.contains(file)) continue;
        EXPECT_TRUE(fs::exists(root / file)) << file;
        ++files;
    }
    EXPECT_GT(files, 20);
}

}  // namespace
}  // namespace pliant
