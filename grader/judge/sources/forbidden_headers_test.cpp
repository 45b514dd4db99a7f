// What counts as forbidden, and on whose account.
#include "grader/judge/sources/forbidden_headers.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/files.h"
#include "grader/compile/stage_files.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

const std::vector<std::string> forbidden = {"cub/", "cuda/", "cooperative_groups/", "cublas"};

TEST(ForbiddenName, IsWhatStandsBehindTheFolderOfHeaders) {
  EXPECT_EQ(forbidden_name("/usr/local/cuda/include/cccl/cub/cub.cuh", forbidden), "cub/cub.cuh");
  EXPECT_EQ(forbidden_name("/opt/cuda/targets/x86_64-linux/include/cublas_v2.h", forbidden),
            "cublas_v2.h");
  EXPECT_EQ(forbidden_name("/opt/x/include/a/../cccl/cuda/atomic", forbidden), "cuda/atomic");
  EXPECT_EQ(forbidden_name("/opt/a library/cub/cub.cuh", forbidden), "cub/cub.cuh");
  EXPECT_EQ(forbidden_name("/usr/local/cuda/include/cuda_runtime.h", forbidden), "");
  EXPECT_EQ(forbidden_name("/usr/local/cuda/include/cooperative_groups.h", forbidden), "");
}

class ForbiddenHeader : public testing::Test {
 protected:
  /// A header of the toolkit.
  fs::path header(const std::string& name, const std::string& text) {
    const fs::path file = toolkit_.path() / "include" / name;
    fs::create_directories(file.parent_path());
    write_file(file, text);
    return file;
  }
  std::string found(const std::vector<fs::path>& opened) const {
    return forbidden_header(opened, tree_.path(), forbidden);
  }

  TemporaryFolder toolkit_, tree_;
};

TEST_F(ForbiddenHeader, IsWhatNoOtherHeaderBringsAlong) {
  const fs::path plain = header("cuda_runtime.h", "#include \"vector_types.h\"\n");
  EXPECT_EQ(found({plain}), "");
  EXPECT_EQ(found({plain, header("cccl/cub/version.cuh", "")}), "cub/version.cuh");
}

TEST_F(ForbiddenHeader, WhatAnAllowedOneBringsAlongIsNot) {
  const std::vector<fs::path> groups = {
      header("cooperative_groups.h",
             "#include \"cooperative_groups/details/info.h\"\n#if X\n# include "
             "<cuda/atomic>\n#endif\n"),
      header("cooperative_groups/details/info.h", "#include \"../details/sync.h\"\n"),
      header("cooperative_groups/details/sync.h", ""),
      header("cccl/cuda/atomic", "#include <cuda/std/atomic>\n"),
      header("cccl/cuda/std/atomic", "#include <cuda/atomic>\n")};
  EXPECT_EQ(found(groups), "");
  std::vector<fs::path> with_more = groups;
  with_more.push_back(
      header("cooperative_groups/reduce.h", "#include \"../cooperative_groups.h\"\n"));
  EXPECT_EQ(found(with_more), "cooperative_groups/reduce.h");
}

TEST_F(ForbiddenHeader, ForbiddenOnesDoNotAllowEachOther) {
  EXPECT_EQ(found({header("cub/a.cuh", "#include \"b.cuh\"\n"),
                   header("cub/b.cuh", "#include \"a.cuh\"\n")}),
            "cub/a.cuh");
}

TEST_F(ForbiddenHeader, TheContractMayIncludeWhatItLikes) {
  fs::create_directories(tree_.path() / "labs/x");
  write_file(tree_.path() / "labs/x/x.h", "#include <cub/version.cuh>\n");
  EXPECT_EQ(found({"labs/x/x.h", header("cub/version.cuh", "")}), "");
}

TEST_F(ForbiddenHeader, TheListIsReadFromBesideTheLibrary) {
  const fs::path library = tree_.path() / "1_first.so";
  EXPECT_FALSE(opened_for(library));
  write_file(headers_of(library), "labs/x/x.h\n/usr/include/a b.h\n");
  EXPECT_EQ(opened_for(library), (std::vector<fs::path>{"labs/x/x.h", "/usr/include/a b.h"}));
}

}  // namespace
}  // namespace gridstride
