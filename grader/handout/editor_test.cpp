// compile_commands.json on its way to another machine.
#include "grader/handout/editor.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "common/files.h"
#include "grader/handout/editor_list.h"
#include "grader/handout/places.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

std::string entry(const std::string& tree, const std::string& file, const std::string& toolkit) {
  const nlohmann::ordered_json one = {
      {"directory", tree},
      {"file", tree + "/" + file},
      {"arguments", {"clang++", "--cuda-path=" + toolkit, "-I" + tree, "-c", tree + "/" + file}}};
  return one.dump();
}

TEST(EditorCommands, NameTheFilesWhereverTheHandoutIs) {
  const std::string list = "[" + entry("/home/author", "labs/scan/1_first.cu", "/opt/cuda") + "," +
                           entry("/home/author", "labs/jacobi/1_first.cu", "/opt/cuda") + "," +
                           entry("/home/author", "solutions/scan/1_first.cu", "/opt/cuda") + "]";
  const std::string movable = movable_editor_commands(list, "/home/author", {"scan"});
  EXPECT_EQ(movable.find("author"), std::string::npos) << movable;
  EXPECT_EQ(movable.find("/opt/cuda"), std::string::npos) << movable;

  const TemporaryFolder folder;
  const fs::path tree = folder.path() / "my \"course\" [1]", nvcc = folder.path() / "cuda/bin/nvcc";
  fs::create_directories(tree / handed_out_build);
  fs::create_directories(nvcc.parent_path());
  write_file(nvcc, "");
  write_file(tree / handed_out_build / editor_commands, movable);
  write_editor_commands(tree, nvcc);
  const auto written = nlohmann::json::parse(read_file(tree / editor_commands));
  ASSERT_EQ(written.size(), 1u) << "the other lab is not handed out, and no solution is";
  const std::string toolkit = fs::canonical(folder.path() / "cuda").string();
  EXPECT_EQ(written.at(0), nlohmann::json::parse(entry(tree, "labs/scan/1_first.cu", toolkit)));

  const auto time = fs::last_write_time(tree / editor_commands);
  write_editor_commands(tree, nvcc);
  EXPECT_EQ(fs::last_write_time(tree / editor_commands), time)
      << "clangd reads it anew at a change";
}

TEST(EditorCommands, KeepNobodyFromBeingGraded) {
  const TemporaryFolder folder;
  write_editor_commands(folder.path(), "/no/nvcc");
  EXPECT_FALSE(fs::exists(folder.path() / editor_commands));
}

}  // namespace
}  // namespace gridstride
