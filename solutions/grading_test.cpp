// The course holds what it promises: solutions pass, skeletons are still to do, and every wrong
// kernel of solutions/<lab>/wrong gets the verdict that verdicts.toml says, in words that name the
// mistake. And it is fair: who hands in a later stage's code for an earlier one loses nothing.
#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
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

/// Read once: every test is a process of its own, which asks for all labs.
const toml::table& parsed(const fs::path& file) {
  static std::map<fs::path, toml::table> known;
  const auto [entry, is_new] = known.try_emplace(file);
  if (is_new) entry->second = toml::parse_file(file.string());
  return entry->second;
}

struct Grade {
  int exit_code = 0;
  nlohmann::json stages;  ///< of the lab, as in the JSON report
  std::string said;
};

Grade grade(const std::string& lab, const std::string& device, std::vector<std::string> arguments) {
  const TemporaryFolder folder;
  const fs::path report = folder.path() / "results.json";
  arguments.insert(arguments.begin(), {build / "bin" / ("grade-" + lab), "--device", device});
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
  const Grade grade = gridstride::grade(GetParam(), "sim", {"--solutions"});
  EXPECT_EQ(grade.exit_code, 0) << grade.said;
  ASSERT_FALSE(grade.stages.empty()) << grade.said;
  for (const auto& stage : grade.stages) {
    EXPECT_EQ(stage.at("verdict"), "pass") << stage;
    EXPECT_EQ(stage.at("score"), stage.at("max_score")) << stage;
  }
}

TEST_P(Course, SkeletonsAreStillToDo) {
  const Grade grade = gridstride::grade(GetParam(), "sim", {});
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

/// A later stage's solution, handed in for an earlier stage with the same function.
struct HandedIn {
  std::string earlier, later;
  double required_on_gpu = 0;  ///< of `earlier`: a speedup
  std::string function;
};

/// Those of a lab whose later stage is the `distance`-th behind the earlier one, of the stages with
/// its function. So each stage stands in one of them at most, and they are graded together.
std::vector<HandedIn> handed_in(const std::string& lab, std::size_t distance) {
  const toml::table of_gpu = parsed(tree / "thresholds/nvidia-h200.toml");
  const auto required = [&](const std::string& stage) {
    double least = -1;
    of_gpu["stage"].as_array()->for_each([&](const toml::table& row) {
      if (row["name"].value_or(std::string()) == lab + "/" + stage)
        least = row["min_speedup"].value<double>().value();
    });
    return least;
  };
  const toml::table document = parsed(tree / "labs" / lab / "lab.toml");
  const std::string usual = document["function"].value<std::string>().value();
  std::map<std::string, std::vector<const toml::table*>> of_function;
  document["stage"].as_array()->for_each([&](const toml::table& stage) {
    of_function[stage["function"].value_or(usual)].push_back(&stage);
  });
  std::vector<HandedIn> all;
  for (const auto& [function, stages] : of_function) {
    for (std::size_t i = 0; i + distance < stages.size(); ++i) {
      const toml::table &earlier = *stages[i], &later = *stages[i + distance];
      const auto name = earlier["name"].value<std::string>().value();
      all.push_back({name, later["name"].value<std::string>().value(), required(name), function});
    }
  }
  return all;
}

struct Handing {
  std::string lab;
  std::size_t distance = 0;
};
void PrintTo(const Handing& handing, std::ostream* out) {
  *out << handing.lab << " + " << handing.distance;
}

std::vector<Handing> handings() {
  std::vector<Handing> all;
  for (const std::string& lab : labs()) {
    for (std::size_t distance = 1; !handed_in(lab, distance).empty(); ++distance)
      all.push_back({lab, distance});
  }
  return all;
}

class LaterStage : public testing::TestWithParam<Handing> {};

TEST_P(LaterStage, LosesNothingAsAnEarlierOne) {
  const auto& [lab, distance] = GetParam();
  const std::vector<HandedIn> pairs = handed_in(lab, distance);
  std::vector<std::string> arguments;
  for (const auto& [earlier, later, required, function] : pairs) {
    const fs::path home = fs::path("solutions") / lab;
    arguments.push_back(earlier);
    arguments.push_back("--library=" + earlier + "=" +
                        (build / "stages" / home / (later + ".so")).string());
    arguments.push_back("--source=" + earlier + "=" + (tree / home / (later + ".cu")).string());
  }
  const Grade grade = gridstride::grade(lab, "sim", std::move(arguments));
  EXPECT_EQ(grade.exit_code, 0) << grade.said;
  ASSERT_EQ(grade.stages.size(), pairs.size()) << grade.said;
  for (const auto& stage : grade.stages) {
    EXPECT_EQ(stage.at("verdict"), "pass") << stage;
    EXPECT_EQ(stage.at("score"), stage.at("max_score")) << stage;
  }
}

/// The same of the times that an H200 took, at the largest size that was recorded.
TEST_P(LaterStage, IsFastEnoughAsAnEarlierOneOnAGpu) {
  const auto& [lab, distance] = GetParam();
  std::map<std::string, std::map<std::int64_t, double>> seconds;  // of "stage function", by size
  std::istringstream lines(read_file(tree / "grader/records/times-h200.csv"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    std::string of_lab, stage, function, size, median;
    for (std::string* cell : {&of_lab, &stage, &function, &size, &median})
      std::getline(cells, *cell, ',');
    if (of_lab == lab) seconds[stage + " " + function][std::stoll(size)] = std::stod(median);
  }
  for (const auto& [earlier, later, required, function] : handed_in(lab, distance)) {
    const auto& baseline = seconds.at("0_baseline " + function);
    const auto& [size, time] = *seconds.at(later + " " + function).rbegin();
    EXPECT_GT(required, 0) << "no threshold of an H200 for " << earlier;
    EXPECT_GE(baseline.at(size) / time, required) << later << " as " << earlier;
  }
}

INSTANTIATE_TEST_SUITE_P(Labs, LaterStage, testing::ValuesIn(handings()), [](const auto& each) {
  return test_name(each.param.lab + "_" + std::to_string(each.param.distance));
});

struct WrongKernel {
  std::string lab, name, stage, verdict, message, device;
};
void PrintTo(const WrongKernel& kernel, std::ostream* out) { *out << kernel.name; }

std::vector<WrongKernel> wrong_kernels() {
  std::vector<WrongKernel> kernels;
  for (const std::string& lab : labs()) {
    const fs::path file = tree / "solutions" / lab / "wrong" / "verdicts.toml";
    const toml::table document = parsed(file);
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
      gridstride::grade(kernel.lab, kernel.device,
                        {kernel.stage, "--library", kernel.stage + "=" + library.string(),
                         "--source", kernel.stage + "=" + source.string()});
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
