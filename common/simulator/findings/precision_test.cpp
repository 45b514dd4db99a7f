// The checkers against tables of small kernels (testdata/precision): every mistake is found, in its
// line, and nothing right is reported, whatever the schedule and the compiler's options.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/simulator/device/local_device.h"
#include "common/simulator/device/test_container.h"
#include "common/simulator/exec/test_grid.h"
#include "common/simulator/texture/texture_registry.h"

namespace gridstride::sim {
namespace {

constexpr std::size_t elements = 4096;
constexpr std::uint64_t seeds = 10;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

constexpr std::string_view kernel_begins = "KERNEL(";
/// How the tables are compiled, as parts of the files' names: optimized, little optimized, to be debugged.
constexpr std::string_view compilations[] = {"O3", "O1", "G"};

/// One kernel of a table.
struct Row {
  std::string table, kernel;
  std::string sheet;  ///< what the table is compiled in

  bool is_right() const { return kernel.starts_with("right_"); }
  /// What only debug information tells.
  bool is_debugged() const { return table.starts_with("debugged_"); }
  /// Kernels that launch kernels, for which it takes a whole device.
  bool is_launched() const { return table.starts_with("launched_"); }
  /// Mistakes that only some orders show, as nothing forces the threads into them.
  bool is_lucky() const { return table.starts_with("lucky_"); }
  /// How the kernel is to be compiled, of `compilations`.
  std::span<const std::string_view> compiled() const {
    const std::span<const std::string_view> all = compilations;
    return is_debugged() ? all.last(1) : all;
  }
  std::string source() const {
    return std::string(GRIDSTRIDE_PRECISION_SOURCES) + "/" + table + ".cu";
  }
  std::string ptx(std::string_view compilation) const {
    return std::string(GRIDSTRIDE_PRECISION_PTX) + "/" + sheet + "." + std::string(compilation) +
           ".ptx";
  }
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.table << ": " << row.kernel;
}

std::string kernel_named_in(const std::string& line) {
  return line.substr(kernel_begins.size(), line.find(')') - kernel_begins.size());
}

/// Lines of the source marked "here" in the kernel, and behind it up to the next one.
std::set<std::uint32_t> marked_lines(const Row& row) {
  std::istringstream text(text_of(row.source()));
  std::set<std::uint32_t> lines;
  std::uint32_t number = 1;
  bool inside = false;
  for (std::string line; std::getline(text, line); ++number) {
    if (line.starts_with(kernel_begins)) inside = kernel_named_in(line) == row.kernel;
    if (inside && line.ends_with("// here")) lines.insert(number);
  }
  return lines;
}

std::set<std::filesystem::path> sources_in(const std::string& folder) {
  std::set<std::filesystem::path> sources;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".cu") sources.insert(entry.path());
  }
  return sources;
}

/// Of each table, the sheet that includes it: CMakeLists.txt makes them.
std::map<std::string, std::string> sheets_of_tables() {
  std::map<std::string, std::string> sheets;
  for (const auto& sheet : sources_in(GRIDSTRIDE_PRECISION_PTX)) {
    std::istringstream text(text_of(sheet));
    for (std::string line; std::getline(text, line);) {
      if (!line.starts_with("#include")) continue;
      const std::filesystem::path table = line.substr(line.find('"') + 1);
      sheets[table.stem()] = sheet.stem();
    }
  }
  return sheets;
}

std::vector<Row> rows() {
  std::vector<Row> all;
  std::map<std::string, std::string> sheets = sheets_of_tables();
  for (const auto& table : sources_in(GRIDSTRIDE_PRECISION_SOURCES)) {
    std::istringstream text(text_of(table));
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with(kernel_begins)) {
        all.push_back({table.stem(), kernel_named_in(line), sheets[table.stem()]});
      }
    }
  }
  return all;
}

/// A table whose kernels launch others, on a device with one schedule.
class LaunchingTable {
 public:
  LaunchingTable(const std::string& ptx, std::uint64_t seed, const CheckOptions& checks)
      : device_(options(seed, checks)),
        kernels_(device_.load_module({container_of(ptx)}, {}).kernels) {}

  /// With arrays as the other tables have them. What is found in the grids that it launches counts as its own.
  GridResult launch(const Row& row) {
    LaunchRequest request;
    for (const KernelInfo& kernel : kernels_) {
      if (kernel.name == row.kernel) request.kernel = kernel.id;
    }
    request.grid = {4};
    request.block = {64};
    for (const bool zeros : {true, true, false}) {
      const DeviceAddress array = device_.allocate(elements * sizeof(int));
      if (zeros) device_.fill(array, 0, sizeof(int), elements, 0);
      const auto bytes = std::as_bytes(std::span(&array, 1));
      request.arguments.insert(request.arguments.end(), bytes.begin(), bytes.end());
    }
    device_.launch(request);
    device_.synchronize(std::nullopt);
    return std::exchange(found_, {});
  }

 private:
  LocalDeviceOptions options(std::uint64_t seed, const CheckOptions& checks) {
    LocalDeviceOptions options;
    options.schedule_seed = seed;
    options.checks = checks;
    options.on_launch = [this](const LaunchRecord& record) {
      found_.findings.insert(found_.findings.end(), record.findings.begin(), record.findings.end());
    };
    options.on_late_finding = [this](const Finding& finding) {
      found_.findings.push_back(finding);
    };
    return options;
  }

  GridResult found_;
  LocalDevice device_;
  std::vector<KernelInfo> kernels_;
};

/// With all checks: one for each compilation and schedule, for to build it takes longer than to run its kernels.
LaunchingTable& launching_table(const std::string& file, const std::string& ptx,
                                std::uint64_t seed) {
  static std::map<std::string, LaunchingTable> tables;
  return tables.try_emplace(file + std::to_string(seed), ptx, seed, CheckOptions()).first->second;
}

/// A sheet, compiled in one way, on a device of its own. It is built once for all kernels of the sheet, for that takes
/// longer than to run them.
TestGrid& device_of(const Row& row, std::string_view compilation) {
  static std::map<std::string, TestGrid> devices;
  const std::string file = row.ptx(compilation);
  const auto known = devices.find(file);
  return known != devices.end() ? known->second
                                : devices.try_emplace(file, text_of(file)).first->second;
}

/// One compilation of the tested kernel, and the device it runs on.
class Compiled {
 public:
  Compiled(Row row, std::string_view compilation)
      : row_(std::move(row)),
        file_(row_.ptx(compilation)),
        ptx_(row_.is_launched() ? text_of(file_) : "") {
    if (row_.is_launched()) return;
    gpu_ = &device_of(row_, compilation);
    textures_.emplace(gpu_->memory);
  }

  /// Launches the kernel with arrays of its own.
  /// `data` is looked at afterwards, as the outputs of a call that is graded.
  GridResult launch(std::uint64_t seed) {
    if (row_.is_launched()) return launching_table(file_, ptx_, seed).launch(row_);
    return launch_in_grid(seed, {});
  }
  GridResult launch(std::uint64_t seed, const CheckOptions& checks) {
    if (row_.is_launched()) return LaunchingTable(ptx_, seed, checks).launch(row_);
    return launch_in_grid(seed, checks);
  }
  /// A schedule that shows what is wrong with the kernel.
  std::uint64_t telling_seed() {
    std::uint64_t seed = 0;
    while (row_.is_lucky() && !row_.is_right() && seed < seeds && launch(seed).findings.empty())
      ++seed;
    return seed;
  }

 private:
  GridResult launch_in_grid(std::uint64_t seed, const CheckOptions& checks) {
    const std::vector<int> zeros(elements);
    const DeviceAddress data = gpu_->upload(zeros), flag = gpu_->upload(zeros);
    const DeviceAddress raw = gpu_->memory.allocate(elements * sizeof(int));
    GridResult result = launch(seed, checks, data, flag, raw);
    for (UnwrittenCopy& copy : take_unwritten(result.unwritten_copies, gpu_->memory.initialised(),
                                              data, elements * sizeof(int), /*whole=*/false)) {
      result.findings.push_back(std::move(copy.finding));
    }
    // The next one has the same addresses: a sheet has more kernels than the device has memory.
    for (const DeviceAddress array : {raw, flag, data}) {
      gpu_->memory.forget(array, Allocation::Origin::host);
    }
    return result;
  }
  GridResult launch(std::uint64_t seed, const CheckOptions& checks, DeviceAddress data,
                    DeviceAddress flag, DeviceAddress raw) {
    gpu_->request.schedule_seed = seed;
    gpu_->request.checks = checks;
    gpu_->request.cooperative = !row_.kernel.ends_with("_not_cooperative");
    gpu_->request.textures = nullptr;
    const std::uint32_t threads = row_.kernel.ends_with("_in_4_warps") ? 128 : 64;
    if (row_.table == "textures") {
      const ArrayId array = textures_->add_array({.format = {TexelKind::signed_integer, 32, 1},
                                                  .width = 64,
                                                  .height = 64,
                                                  .surface = true});
      gpu_->request.textures = &*textures_;
      return gpu_->launch_named(row_.kernel, {4}, {threads}, data, flag, raw,
                                textures_->add_texture({.array = array}),
                                textures_->add_surface(array));
    }
    return gpu_->launch_named(row_.kernel, {4}, {threads}, data, flag, raw);
  }

  Row row_;
  std::string file_, ptx_;
  TestGrid* gpu_ = nullptr;  ///< of the table; null where it takes a device of its own
  std::optional<TextureRegistry> textures_;
};

class Precision : public testing::TestWithParam<Row> {};

TEST_P(Precision, WrongIsFoundAndRightIsNotReported) {
  const std::string& name = GetParam().kernel;
  const std::set<std::uint32_t> marked = marked_lines(GetParam());
  for (const std::string_view compilation : GetParam().compiled()) {
    SCOPED_TRACE(compilation);
    Compiled kernel(GetParam(), compilation);
    int shown = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const GridResult result = kernel.launch(seed);
      if (GetParam().is_right()) {
        EXPECT_TRUE(result.findings.empty()) << "seed " << seed << ": " << first_message(result);
        continue;
      }
      if (GetParam().is_lucky() && result.findings.empty()) continue;
      ASSERT_FALSE(result.findings.empty()) << "seed " << seed;
      ++shown;
      const Finding& finding = result.findings.front();
      EXPECT_TRUE(name.starts_with(std::string("wrong_") + name_of(finding.kind)))
          << finding.message;
      EXPECT_TRUE(marked.contains(finding.where.line))
          << finding.where.line << ": " << finding.message;
    }
    EXPECT_EQ(shown == 0, GetParam().is_right()) << "shown by no schedule";
  }
}

/// The kind of mistake that a kernel's name says; empty for a right one.
std::string kind_in(const std::string& name) {
  for (auto kind = FindingKind::out_of_bounds; kind <= FindingKind::timeout;
       kind = static_cast<FindingKind>(static_cast<int>(kind) + 1)) {
    if (name.starts_with(std::string("wrong_") + name_of(kind))) return name_of(kind);
  }
  return "";
}

TEST_P(Precision, WhatIsSwitchedOffIsNotReported) {
  const std::string kind = kind_in(GetParam().kernel);
  for (const std::string_view compilation : GetParam().compiled()) {
    SCOPED_TRACE(compilation);
    Compiled kernel(GetParam(), compilation);
    const std::uint64_t seed = kernel.telling_seed();
    const GridResult nothing = kernel.launch(seed, checks_named("none"));
    if (kind == "invalid_instruction" || kind == "timeout") {
      EXPECT_EQ(nothing.findings.size(), 1u);
      continue;
    }
    EXPECT_TRUE(nothing.findings.empty()) << first_message(nothing);
    // What stops a kernel is said with its error.
    EXPECT_EQ(nothing.error == 0, nothing.reason.empty()) << nothing.error;
    if (kind.empty()) continue;
    const GridResult alone = kernel.launch(seed, checks_named(kind));
    ASSERT_FALSE(alone.findings.empty());
    for (const Finding& finding : alone.findings) EXPECT_EQ(name_of(finding.kind), kind);
    for (const Finding& finding : kernel.launch(seed, checks_named("all,-" + kind)).findings) {
      EXPECT_NE(name_of(finding.kind), kind) << finding.message;
    }
  }
}

TEST(PrecisionTable, IsHalfWrong) {
  const std::vector<Row> all = rows();
  const auto right = std::ranges::count_if(all, &Row::is_right);
  EXPECT_GE(all.size(), 120u);
  EXPECT_NEAR(static_cast<double>(right) / static_cast<double>(all.size()), 0.5, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Precision, testing::ValuesIn(rows()), [](const auto& each) {
  // CMakeLists.txt names the tables so.
  return each.param.table + "__" + each.param.kernel;
});

}  // namespace
}  // namespace gridstride::sim
