// The figures of the foundation chapter: runs each page's program on the simulated GPU, as the page
// tells its reader to, and compares every table whose first column is "kernel" with what it
// counted.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"

namespace gridstride {
namespace {

using nlohmann::json;
using Row = std::vector<std::string>;

/// What the columns of the pages stand for. Other columns are words.
const std::map<std::string, double (*)(const json& counters)> columns = {
    {"loads", [](const json& c) -> double { return c.at("global_load_requests"); }},
    {"stores", [](const json& c) -> double { return c.at("global_store_requests"); }},
    {"sectors a load", [](const json& c) -> double { return c.at("load_sectors_per_request"); }},
    {"sectors, all loads", [](const json& c) -> double { return c.at("global_load_sectors"); }},
    {"sectors, all stores", [](const json& c) -> double { return c.at("global_store_sectors"); }},
    {"local sectors", [](const json& c) -> double { return c.at("local_sectors"); }},
    {"constant passes", [](const json& c) -> double { return c.at("constant_passes"); }},
    {"warps that parted", [](const json& c) -> double { return c.at("divergent_branches"); }},
    {"active lanes",
     [](const json& c) {
       return std::round(c.at("active_lanes_per_instruction").get<double>() * 10) / 10;
     }},
    {"passes", [](const json& c) {
       const double requests = c.at("shared_requests"), passes = c.at("shared_wavefronts");
       return requests == 0 ? 0 : passes / requests;
     }}};

/// The cells of a table's line, without the blanks around them.
Row cells_of(const std::string& line) {
  Row cells;
  std::istringstream rest(line.substr(1));
  for (std::string cell; std::getline(rest, cell, '|');) {
    const std::size_t first = cell.find_first_not_of(' ');
    if (first == std::string::npos) break;
    cells.push_back(cell.substr(first, cell.find_last_not_of(' ') - first + 1));
  }
  return cells;
}

/// The tables about kernels, each with its head as the first row.
std::vector<std::vector<Row>> tables_of(const std::string& page) {
  std::vector<std::vector<Row>> tables;
  std::istringstream lines(page);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    const bool in_table = line.starts_with('|');
    if (in_table && !inside && line.starts_with("| kernel |")) tables.emplace_back();
    inside = in_table && (inside || line.starts_with("| kernel |"));
    if (inside && !line.starts_with("|---")) tables.back().push_back(cells_of(line));
  }
  return tables;
}

/// The counters of the one launch of `kernel`, written `name` or `name<arguments>`.
const json& counters_of(const json& report, const std::string& kernel) {
  for (const json& launch : report.at("launches")) {
    const std::string name = " " + launch.at("kernel").get<std::string>();
    if (name.find(" " + kernel + "(") != std::string::npos) return launch.at("counters");
  }
  throw std::runtime_error("no launch of " + kernel);
}

class Foundations : public testing::TestWithParam<const char*> {
 protected:
  const std::string home_ = std::string(GRIDSTRIDE_SOURCE_TREE) + "/docs/foundations/";

  json report() const {
    const TemporaryFolder scratch;
    const std::string file = (scratch.path() / "report.json").string();
    Subprocess program;
    program.command = {GRIDSTRIDE_PROGRAM,         "explain", "--no-build",
                       home_ + GetParam() + ".cu", "--json",  file};
    std::string output;
    program.on_line = [&](std::string_view line) { output += std::string(line) + "\n"; };
    program.merge_errors = true;
    EXPECT_EQ(run_process(program).exit_code, 0) << output;
    return json::parse(read_file(file, std::size_t{1} << 26));
  }
};

TEST_P(Foundations, TheTablesSayWhatIsCounted) {
  const json counted = report();
  const auto tables = tables_of(read_file(home_ + GetParam() + ".md"));
  for (const auto& table : tables) {
    const Row& head = table.front();
    int compared = 0;
    for (auto row = table.begin() + 1; row != table.end(); ++row) {
      ASSERT_EQ(row->size(), head.size()) << row->front();
      const std::string kernel = row->front().substr(1, row->front().size() - 2);  // `kernel`
      for (std::size_t k = 1; k < head.size(); ++k) {
        const auto column = columns.find(head[k]);
        if (column == columns.end()) continue;
        ++compared;
        EXPECT_DOUBLE_EQ(std::strtod((*row)[k].c_str(), nullptr),
                         column->second(counters_of(counted, kernel)))
            << kernel << ", " << head[k];
      }
    }
    EXPECT_GT(compared, 0) << "a table about kernels without a column that can be compared";
  }
  const std::string name = GetParam();
  EXPECT_EQ(tables.empty(), name == "timing" || name == "roofline");  // those show times
}

INSTANTIATE_TEST_SUITE_P(Pages, Foundations,
                         testing::Values("threads", "memory", "coalescing", "banks", "constant",
                                         "timing", "roofline"),
                         [](const auto& page) { return std::string(page.param); });

/// A page that holds a time of a GPU says on which machine and when it was measured, by pointing to the
/// one page that knows.
TEST(Pages, WithTimesNameTheMachine) {
  namespace fs = std::filesystem;
  const fs::path tree = GRIDSTRIDE_SOURCE_TREE;
  const std::regex time_of_a_gpu(
      R"([0-9] (us|ms|ns|microseconds|milliseconds|nanoseconds|TB/s)\b)");
  int with_times = 0;
  for (const char* folder : {"labs", "docs/foundations"}) {
    for (const auto& file : fs::recursive_directory_iterator(tree / folder)) {
      if (file.path().extension() != ".md" || file.path().parent_path().filename() == "hints")
        continue;
      const std::string page = read_file(file.path());
      if (!std::regex_search(page, time_of_a_gpu)) continue;
      ++with_times;
      EXPECT_NE(page.find("machines.md"), std::string::npos) << file.path();
    }
  }
  EXPECT_GT(with_times, 11);
}

}  // namespace
}  // namespace gridstride
