// Lists as gcc, nvcc and make write them.
#include "grader/compile/dependencies.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/files.h"

namespace gridstride {
namespace {
using Names = std::vector<std::string>;

TEST(Dependencies, AreReadFromSeveralRules) {
  EXPECT_EQ(dependencies_in("x: a.cu /usr/include/b.h \\\n  c.h\n\nx: a.cu \\\r\n d.h"),
            (Names{"a.cu", "/usr/include/b.h", "c.h", "a.cu", "d.h"}));
  EXPECT_EQ(dependencies_in(""), Names());
}

TEST(Dependencies, AreReadWithoutTheirEscapes) {
  EXPECT_EQ(dependencies_in("x\\ y.o: /a\\ b/c\\#d/e$$f.h /g\\\\h"),
            (Names{"/a b/c#d/e$f.h", "/g\\h"}));
}

TEST(Dependencies, OnlyFilesCount) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "a b.h";
  write_file(file, "");
  // What `#line` can put into nvcc's list.
  EXPECT_EQ(files_among(paths_of({file.string(), "x\ny $z", "relative.h", folder.path().string(),
                                  "/no/such/file.h", "a b.h"},
                                 folder.path())),
            (std::vector<std::filesystem::path>{file}));
}

/// What /proc/self/cwd is there, nobody knows here.
TEST(Dependencies, APathThatLeadsNowhereHereIsOneAllTheSame) {
  const std::string path = "/proc/self/cwd/../../no/such/include/cub/cub.cuh";
  EXPECT_EQ(paths_of({path}, "/"), (std::vector<std::filesystem::path>{path}));
}

TEST(Dependencies, LinksAreFollowed) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "cub");
  write_file(folder.path() / "cub/a.h", "");
  std::filesystem::create_symlink("cub", folder.path() / "other");
  EXPECT_EQ(
      paths_of({"other/a.h"}, folder.path()),
      (std::vector<std::filesystem::path>{folder.path() / "cub/a.h", folder.path() / "other/a.h"}));
}

TEST(Dependencies, AreWrittenAsTheyAreRead) {
  const std::vector<std::filesystem::path> files = {"/a b/c#d.h", "/e$f.h"};
  const std::string rule = dependency_rule("x\\ y.o", files);
  EXPECT_EQ(target_of(rule), "x\\ y.o");
  EXPECT_EQ(dependencies_in(rule), (Names{"/a b/c#d.h", "/e$f.h"}));
}

}  // namespace
}  // namespace gridstride
