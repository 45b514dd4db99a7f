// The course holds what it promises: solutions pass, skeletons are still to do, and every wrong
// kernel of solutions/<lab>/wrong gets the verdict that verdicts.toml says, in words that name the
// mistake.
#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"

namespace gridstride {
namespace {

namespace fs = std::filesystem;
const fs::path tree = GRIDSTRIDE_SOURCE_DIR, build = GRIDSTRIDE_BUILD_DIR;

struct Grade {
  int exit_code = 0;
  nlohmann::json stages;  ///< of the lab, as in the JSON report
  std::string said;
};

Grade grade(const std::string& lab, std::vector<std::string> arguments) {
  const TemporaryFolder folder;
  const fs::path report = folder.path() / "results.json";
  arguments.insert(arguments.begin(), build / "bin" / ("grade-" + lab));
  arguments.insert(arguments.end(), {"--json", report});
  Grade grade;
  Subprocess process;
  process.command = std::move(arguments);
  process.merge_errors = true;
  process.on_line = [&grade](std::string_view line) { grade.said.append(line).append("\n"); };
  grade.exit_code = run_process(process).exit_code;
  if (fs::exists(report))
    grade.stages = nlohmann::json::parse(read_file(report)).at("labs").at(0).at("stages");
  return grade;
}

std::vector<std::string> labs() {
  std::vector<std::string> names;
  for (const auto& lab : fs::directory_iterator(tree / "solutions")) {
    if (lab.is_directory()) names.push_back(lab.path().filename());
  }
  return names;
}

class Course : public testing::TestWithParam<std::string> {};

TEST_P(Course, SolutionsPassOnTheSimulator) {
  const Grade grade = gridstride::grade(GetParam(), {"--solutions", "--device", "sim"});
  EXPECT_EQ(grade.exit_code, 0) << grade.said;
  ASSERT_FALSE(grade.stages.empty()) << grade.said;
  for (const auto& stage : grade.stages) {
    EXPECT_EQ(stage.at("verdict"), "pass") << stage;
    EXPECT_EQ(stage.at("score"), stage.at("max_score")) << stage;
  }
}

TEST_P(Course, SkeletonsAreStillToDo) {
  const Grade grade = gridstride::grade(GetParam(), {"--device", "sim"});
  EXPECT_EQ(grade.exit_code, 1) << grade.said;
  ASSERT_FALSE(grade.stages.empty()) << grade.said;
  for (const auto& stage : grade.stages) {
    EXPECT_EQ(stage.at("verdict"), "todo") << stage;
    EXPECT_EQ(stage.at("score"), 0) << stage;
  }
}

/// GoogleTest takes no other characters.
std::string test_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Labs, Course, testing::ValuesIn(labs()),
                         [](const auto& each) { return test_name(each.param); });

struct WrongKernel {
  std::string lab, name, stage, verdict, message, device;
};
void PrintTo(const WrongKernel& kernel, std::ostream* out) { *out << kernel.name; }

std::vector<WrongKernel> wrong_kernels() {
  std::vector<WrongKernel> kernels;
  for (const std::string& lab : labs()) {
    const fs::path file = tree / "solutions" / lab / "wrong" / "verdicts.toml";
    const toml::table document = toml::parse_file(file.string());
    document["kernel"].as_array()->for_each([&](const toml::table& kernel) {
      const auto text = [&](const char* key) { return kernel[key].value<std::string>().value(); };
      kernel["devices"].as_array()->for_each([&](const toml::value<std::string>& device) {
        kernels.push_back({lab, fs::path(text("file")).stem(), text("stage"), text("verdict"),
                           text("message"), *device});
      });
    });
  }
  return kernels;
}

class Wrong : public testing::TestWithParam<WrongKernel> {};

TEST_P(Wrong, GetsItsVerdict) {
  const WrongKernel& kernel = GetParam();
  if (kernel.device == "gpu" && !fs::exists("/dev/nvidiactl")) GTEST_SKIP() << "needs a GPU";
  const fs::path file = fs::path("solutions") / kernel.lab / "wrong" / (kernel.name + ".cu");
  const fs::path source = (fs::exists(tree / file) ? tree : build) / file;  // made of a patch
  const fs::path library =
      build / "stages/solutions" / kernel.lab / "wrong" / (kernel.name + ".so");
  const Grade grade =
      gridstride::grade(kernel.lab, {kernel.stage, "--device", kernel.device, "--library",
                                     kernel.stage + "=" + library.string(), "--source",
                                     kernel.stage + "=" + source.string()});
  EXPECT_EQ(grade.exit_code, 1) << grade.said;
  ASSERT_EQ(grade.stages.size(), 1u) << grade.said;
  EXPECT_EQ(grade.stages[0].at("verdict"), kernel.verdict) << grade.stages[0];
  const std::string message = grade.stages[0].at("message");
  EXPECT_NE(message.find(kernel.message), std::string::npos) << message;
  EXPECT_LT(grade.stages[0].at("score"), grade.stages[0].at("max_score"));
}

INSTANTIATE_TEST_SUITE_P(Kernels, Wrong, testing::ValuesIn(wrong_kernels()), [](const auto& each) {
  return test_name(each.param.lab + "_" + each.param.name + "_" + each.param.device);
});

TEST(WrongKernels, AreAllListed) {
  for (const std::string& lab : labs()) {
    int listed = 0, files = 0;
    for (const auto& file : fs::directory_iterator(tree / "solutions" / lab / "wrong"))
      files += file.path().extension() == ".cu" || file.path().extension() == ".patch";
    std::string before;
    for (const WrongKernel& kernel : wrong_kernels()) {
      if (kernel.lab != lab || kernel.name == before) continue;
      before = kernel.name;
      ++listed;
      const fs::path file = tree / "solutions" / lab / "wrong" / kernel.name;
      EXPECT_NE(fs::exists(file.string() + ".cu"), fs::exists(file.string() + ".patch")) << before;
    }
    EXPECT_EQ(listed, files) << lab;
    EXPECT_GE(files, 8) << lab;
  }
}

}  // namespace
}  // namespace gridstride
