// Files as students, and those who attack the class, hand them in.
#include "grader/compile/intake.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>

#include "common/files.h"
#include "common/unique_fd.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

class IntakeTest : public testing::Test {
 protected:
  std::string taken(const std::string& stage = "1_first") {
    take_in(from_.path(), to_.path() / "stages", {stage});
    return read_file(copy(stage));
  }
  fs::path copy(const std::string& stage) const { return to_.path() / "stages" / (stage + ".cu"); }
  fs::path handed_in() const { return from_.path() / "1_first.cu"; }
  void expect_refused(const std::string& words) {
    EXPECT_EQ(refusal_of(handed_in()), words);
    EXPECT_EQ(taken(), "#error \"" + words + "\"\n");
    fs::remove_all(handed_in());
  }

  TemporaryFolder from_, to_;
};

TEST_F(IntakeTest, CopiesATextByteForByte) {
  for (const std::string& text :
       {std::string("int x;\n"), std::string(), std::string("\xef\xbb\xbfint x;\r\n"),
        std::string("a\0b", 3), std::string(1u << 20, ' ')}) {
    write_file(handed_in(), text);
    EXPECT_EQ(refusal_of(handed_in()), "");
    EXPECT_EQ(taken(), text);
  }
}

TEST_F(IntakeTest, AnOlderFileWithAnotherTextIsCopied) {
  write_file(handed_in(), "first");
  taken();
  write_file(handed_in(), "second");
  fs::last_write_time(handed_in(), fs::file_time_type::clock::now() - std::chrono::hours(1000));
  EXPECT_EQ(taken(), "second");
}

TEST_F(IntakeTest, AnEqualTextLeavesTheCopyAlone) {
  write_file(handed_in(), "text");
  taken();
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1000);
  fs::last_write_time(copy("1_first"), long_ago);
  write_file(handed_in(), "text");
  taken();
  EXPECT_EQ(fs::last_write_time(copy("1_first")), long_ago) << "or it is built again";
}

TEST_F(IntakeTest, WhatIsNoPlainFileIsRefusedInWords) {
  expect_refused("1_first.cu is missing.");
  fs::create_symlink("/etc/passwd", handed_in());
  expect_refused("1_first.cu is a link, not a plain file.");
  fs::create_directory(handed_in());
  write_file(handed_in() / "1_first.cu", "text");
  expect_refused("1_first.cu is a folder, not a plain file.");
  ASSERT_EQ(::mkfifo(handed_in().c_str(), 0600), 0);
  expect_refused("1_first.cu is a FIFO, not a plain file.");
  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(handed_in().string().size(), sizeof address.sun_path);
  std::strcpy(address.sun_path, handed_in().c_str());
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  expect_refused("1_first.cu is a socket, not a plain file.");
  write_file(handed_in(), std::string((1u << 20) + 1, ' '));
  expect_refused("1_first.cu is larger than 1 MiB, which no stage needs to be.");
  EXPECT_EQ(refusal_of("/dev/null"), "null is a device, not a plain file.");
}

TEST_F(IntakeTest, OtherFilesAreNotLookedAt) {
  write_file(handed_in(), "text");
  for (const char* name : {"9_a;b.cu", "9_${x}.cu", "1_first.old.cu"})
    write_file(from_.path() / name, "x");
  ASSERT_EQ(::mkfifo((from_.path() / "2_second.cu").c_str(), 0600), 0);
  EXPECT_EQ(taken(), "text");
  EXPECT_EQ(std::distance(fs::directory_iterator(to_.path() / "stages"), {}), 1);
}

}  // namespace
}  // namespace gridstride
