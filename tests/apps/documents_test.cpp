// Every block of code in README.md and docs/ is run, so that what a reader types works.
//
// Lua blocks are scenes: each is run for two frames. A block that the text before it tells to save under a name is
// saved under it. Lines of shell blocks are run in the order of the page, in one folder per page; those of a block
// after the comment <!-- long --> (which readers do not see) and those that open a window are only checked for what
// they name: command, flags and files. The scene reference is made from the tables that check scenes, and has tests of
// its own.

#include <gtest/gtest.h>

#include <glob.h>

#include <regex>

#include "../scenes/pliant_process.hpp"

namespace pliant::test {
namespace {

struct Block {
    bool lua = false, is_long = false;
    int line = 0;
    std::string save_as = {};  ///< of Lua
    std::vector<std::string> lines = {};
};

bool shell_word(const std::string& line) {
    static const std::regex first("^(\\./)?(pliant|make|cmake|ninja|blender|paraview|ffmpeg)\\b.*");
    return std::regex_match(line, first);
}

std::vector<Block> blocks_of(const fs::path& page) {
    std::vector<Block> blocks;
    std::ifstream in(page);
    std::string line, text;  // text: the lines since the last block
    bool fenced = false, taken = false, indented = false;
    for (int number = 1; std::getline(in, line); ++number) {
        if (line.rfind("```", 0) == 0) {
            fenced = !fenced;
            if (!fenced) {
                text.clear();
                continue;
            }
            const std::string kind = line.substr(3);
            taken = kind == "lua" || kind == "sh" || kind.empty();
            EXPECT_TRUE(taken || kind == "cpp" || kind == "json") << page << ":" << number << ": " << kind;
            if (!taken) continue;
            Block block{
                .lua = kind == "lua", .is_long = text.find("<!-- long -->") != std::string::npos, .line = number};
            std::smatch found;
            static const std::regex name("`([a-z]+\\.lua)`:?\\s*$|`([a-z]+\\.lua)`[^`]*:\\s*$");
            if (std::regex_search(text, found, name)) block.save_as = found[1].matched ? found[1] : found[2];
            blocks.push_back(block);
        } else if (fenced) {
            if (taken) blocks.back().lines.push_back(line);
        } else if (line.rfind("    ", 0) == 0 && (indented || (line.size() > 4 && shell_word(line.substr(4))))) {
            if (!indented)
                blocks.push_back({.is_long = text.find("<!-- long -->") != std::string::npos, .line = number});
            indented = true;
            blocks.back().lines.push_back(line.substr(4));
            text.clear();
        } else {
            indented = false;
            text += line + "\n";
        }
    }
    EXPECT_FALSE(fenced) << page;
    return blocks;
}

bool something_matches(const std::string& pattern) {
    glob_t found{};
    const bool any = ::glob(pattern.c_str(), 0, nullptr, &found) == 0 && found.gl_pathc > 0;
    ::globfree(&found);
    return any;
}

class Documents : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        fs::create_symlink(fs::path(PLIANT_SOURCE_DIR) / "scenes", folder.path / "scenes");
        fs::create_symlink(PLIANT_BINARY, folder.path / "pliant");
        fs::create_directories(folder.path / "docs" / "pictures");
    }
    int shell(const std::string& line, std::string& words) const {
        const std::string command = "cd '" + folder.path.string() + "' && PATH=\"$PWD:$PATH\" timeout 60 bash -c '" +
                                    line + "' > words.txt 2>&1";
        const int status = std::system(command.c_str());
        words = content(folder.path / "words.txt");
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    void run_line(const std::string& line, bool only_check) const {
        const auto comment = line.find("  #");
        std::string command = line.substr(0, comment);
        command.erase(command.find_last_not_of(' ') + 1);
        if (command.empty()) return;
        std::string words;
        std::istringstream in(command);
        std::string program, verb;
        in >> program >> verb;
        if (program == "make") {
            const std::string makefile = "\n" + content(fs::path(PLIANT_SOURCE_DIR) / "Makefile");
            EXPECT_NE(makefile.find("\n" + verb + ":"), std::string::npos) << command;
            return;
        }
        if (program == "pliant" || program == "./pliant") {
            only_check |= verb == "studio";
            EXPECT_EQ(shell(command + (only_check ? " --help" : ""), words), 0) << command << "\n" << words;
        }
        if (program == "pliant" && !only_check) return;
        // What is opened, or named in a comment, must be where the page says it is.
        std::istringstream all(line);
        for (std::string word; all >> word;) {
            if (word.rfind("scenes/", 0) == 0 || (!only_check && word.rfind("out/", 0) == 0)) {
                EXPECT_TRUE(something_matches((folder.path / word).string())) << line;
            }
        }
    }
    TemporaryFolder folder;
};

TEST_P(Documents, EveryBlockRuns) {
    const fs::path page = fs::path(PLIANT_SOURCE_DIR) / GetParam();
    int scenes = 0, commands = 0;
    for (const Block& block : blocks_of(page)) {
        SCOPED_TRACE(GetParam() + ":" + std::to_string(block.line));
        if (!block.lua) {
            for (const std::string& line : block.lines) run_line(line, block.is_long), ++commands;
            continue;
        }
        const std::string name = block.save_as.empty() ? "block.lua" : block.save_as;
        std::ofstream file(folder.path / name);
        for (const std::string& line : block.lines) file << line << "\n";
        file.close();
        std::string words;
        EXPECT_EQ(shell("pliant run " + name + " --frames 2 --no-out", words), 0) << words;
        EXPECT_EQ(words.find("note: "), std::string::npos) << words;  // a page shows nothing that is warned of
        ++scenes;
    }
    std::printf("%s: %d scenes and %d command lines\n", GetParam().c_str(), scenes, commands);
}

std::vector<std::string> pages() {
    std::vector<std::string> list{"README.md"};
    for (const auto& entry : fs::directory_iterator(fs::path(PLIANT_SOURCE_DIR) / "docs"))
        if (entry.path().extension() == ".md" && entry.path().stem() != "scene-reference" &&
            !blocks_of(entry.path()).empty())
            list.push_back("docs/" + entry.path().filename().string());
    std::sort(list.begin(), list.end());
    return list;
}

INSTANTIATE_TEST_SUITE_P(All, Documents, testing::ValuesIn(pages()), [](const auto& page) {
    std::string name = fs::path(page.param).stem().string();
    std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
    return name;
});

}  // namespace
}  // namespace pliant::test
