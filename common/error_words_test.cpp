// What is said of errors in files.
#include "common/error_words.h"

#include <gtest/gtest.h>

#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "common/files.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

template <class Function>
std::string words_of_what(Function function) {
  try {
    function();
  } catch (const std::exception& error) {
    return words_of(error);
  }
  return "";
}

TEST(ErrorWords, TheLibrarysErrorsAreSaidInASentence) {
  EXPECT_EQ(words_of_what([] { fs::create_directory("/no/such/folder"); }),
            "cannot create directory /no/such/folder: No such file or directory.");
  const TemporaryFolder folder;
  const std::string here = folder.path().string();
  write_file(folder.path() / "a", "");
  fs::create_directory(folder.path() / "b");
  EXPECT_EQ(words_of_what([&] { fs::rename(folder.path() / "a", folder.path() / "b"); }),
            "cannot rename " + here + "/a to " + here + "/b: Is a directory.");
}

TEST(ErrorWords, OurOwnAreAsTheyAre) {
  EXPECT_EQ(words_of_what([] { throw std::runtime_error("a: b"); }), "a: b");
}

}  // namespace
}  // namespace gridstride
