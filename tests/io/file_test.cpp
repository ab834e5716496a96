#include "pliant/io/file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>

#include "pliant/core/error.hpp"

namespace pliant {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
protected:
    void SetUp() override {
        folder = fs::path(testing::TempDir()) /
                 ("pliant-file-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
        fs::remove_all(folder);
        fs::create_directories(folder);
    }
    void TearDown() override { fs::remove_all(folder); }
    std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator{}));
    }
    fs::path folder;
};

TEST_F(FileTest, BytesComeBack) {
    const std::string path = (folder / "a").string(), bytes("x\0y\r\n", 5);
    write_file_atomic(path, bytes);
    EXPECT_EQ(read_file(path), bytes);
    write_file_atomic(path, "new");
    EXPECT_EQ(read_file(path), "new");
    EXPECT_EQ(entries(), 1U) << "no temporary is left";
}

TEST_F(FileTest, ReadingSaysWhatIsWrong) {
    auto message = [](const std::string& path, std::uint64_t limit = 100) -> std::string {
        try {
            read_file(path, limit);
        } catch (const UserError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(message((folder / "none").string()).find("No such file"), std::string::npos);
    EXPECT_NE(message(folder.string()).find("folder"), std::string::npos);
    EXPECT_NE(message("/dev/zero").find("not a regular file"), std::string::npos);
    const std::string pipe = (folder / "pipe").string();
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_NE(message(pipe).find("not a regular file"), std::string::npos);
    write_file_atomic((folder / "long").string(), std::string(101, 'x'));
    EXPECT_NE(message((folder / "long").string()).find("at most 100"), std::string::npos);
}

TEST_F(FileTest, FailedWritesLeaveNothing) {
    EXPECT_THROW(write_file_atomic((folder / "none" / "a").string(), "x"), UserError);
    EXPECT_THROW(write_file_atomic(folder.string(), "x"), UserError);
    EXPECT_THROW(write_file_atomic("/dev/null", "x"), UserError);
    EXPECT_EQ(entries(), 0U);
}

TEST_F(FileTest, AWriteThatStopsHalfwayKeepsTheOldFile) {
    const std::string path = (folder / "a").string();
    write_file_atomic(path, "old");
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit small = before;
    small.rlim_cur = 4096;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    EXPECT_THROW(write_file_atomic(path, std::string(100'000, 'x')), UserError);
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(read_file(path), "old");
    EXPECT_EQ(entries(), 1U);
}

TEST_F(FileTest, Folders) {
    ensure_directory((folder / "a" / "b").string());
    ensure_directory((folder / "a" / "b").string());
    EXPECT_TRUE(fs::is_directory(folder / "a" / "b"));
    write_file_atomic((folder / "file").string(), "x");
    EXPECT_THROW(ensure_directory((folder / "file").string()), UserError);
    EXPECT_THROW(ensure_directory((folder / "file" / "b").string()), UserError);
}

}  // namespace
}  // namespace pliant
