// The simulator's counters against Nsight Compute's, for every stage of the labs: sectors of global
// loads and stores and passes through shared memory exactly, numbers of loads and stores within 5
// %.
//
// counters-h200.csv has what an H200 counted, exceptions.csv what is known to differ and why. The
// stages run on the simulated device with all of its multiprocessors, for many of them ask how many
// there are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "common/files.h"

namespace {

using Row = std::map<std::string, std::string>;

const std::filesystem::path here = std::filesystem::path(GRIDSTRIDE_SOURCE_DIR) / "grader/records";

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

/// Lines of a CSV file by the names in its first one; a line that begins with # says where from.
std::vector<Row> read_rows(const std::string& file) {
  std::ifstream in(here / file);
  std::vector<std::string> names;
  std::vector<Row> rows;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    const std::vector<std::string> fields = split(line);
    if (names.empty()) {
      names = fields;
      continue;
    }
    Row row;
    for (std::size_t i = 0; i < names.size() && i < fields.size(); ++i) row[names[i]] = fields[i];
    rows.push_back(row);
  }
  return rows;
}

std::string stage_of(const Row& row) {
  return row.at("lab") + "/" + row.at("stage") + " " + row.at("function");
}

const std::filesystem::path& scratch() {
  static const gridstride::TemporaryFolder folder("stage_counters-");
  return folder.path();
}

/// The file with the call that a row was recorded for; saved when it is the first to ask for it.
std::string call_of(const Row& row) {
  const std::string lab = row.at("lab"), elements = row.at("elements");
  const std::filesystem::path folder = scratch() / (lab + "_" + elements);
  const std::filesystem::path file = folder / (row.at("function") + ".call");
  static std::set<std::filesystem::path> saved;
  if (saved.insert(folder).second) {
    std::filesystem::create_directories(folder);
    const std::string command = "'" GRIDSTRIDE_GRADERS "/grade-" + lab + "' --seed 1 --size " +
                                elements + " --save-calls '" + folder.string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
  return file.string();
}

std::string library_of(const Row& row) {
  const std::string side = row.at("stage") == "0_baseline" ? "labs" : "solutions";
  return std::string(GRIDSTRIDE_STAGES) + "/" + side + "/" + row.at("lab") + "/" + row.at("stage") +
         ".so";
}

/// A figure of the record, the simulator's name for it, and how far they may be apart.
struct Compared {
  const char* record;
  const char* simulated;
  double tolerance;
};
constexpr Compared compared[] = {
    {"global_loads", "global_load_requests", 0.05},
    {"global_stores", "global_store_requests", 0.05},
    {"shared_loads", "shared_load_requests", 0.05},
    {"shared_stores", "shared_store_requests", 0.05},
    {"load_sectors", "global_load_sectors", 0},
    {"store_sectors", "global_store_sectors", 0},
    {"wavefronts", "shared_wavefronts", 0},
    {"ideal_wavefronts", "ideal_shared_wavefronts", 0},
};

/// Calls a row's stage on the simulator: the counters of all its kernels, those that kernels
/// launched included, as Nsight Compute adds them to the kernel that launched them.
std::map<std::string, double> simulate(const Row& row) {
  const std::string name = (scratch() / row.at("lab")).string();
  std::ofstream(name + ".jobs") << library_of(row) << '\t' << row.at("function") << '\t'
                                << call_of(row) << '\n';
  const std::string command = "LD_LIBRARY_PATH='" GRIDSTRIDE_SIM_LIBRARY
                              "' GRIDSTRIDE_SIM_PROFILE=h200-whole GRIDSTRIDE_SIM_REPORT='" +
                              name + ".json' '" GRIDSTRIDE_CALL_STAGES "' < '" + name + ".jobs'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  // What each launch did is much, and not asked for here.
  const auto is_wanted = [](int depth, nlohmann::json::parse_event_t event, nlohmann::json& read) {
    return depth != 1 || event != nlohmann::json::parse_event_t::key || read == "counters";
  };
  std::ifstream file(name + ".json");
  return nlohmann::json::parse(file, is_wanted)["counters"].get<std::map<std::string, double>>();
}

class StageCounters : public testing::TestWithParam<std::string> {};

TEST_P(StageCounters, AreThoseOfNsightCompute) {
  const std::string lab = GetParam();
  std::vector<Row> rows = read_rows("counters-h200.csv");
  std::erase_if(rows, [&](const Row& row) { return row.at("lab") != lab; });
  ASSERT_FALSE(rows.empty());
  std::set<std::string> excepted, needed;
  for (const Row& row : read_rows("exceptions.csv")) {
    if (row.at("lab") != lab) continue;
    excepted.insert(stage_of(row) + " " + row.at("metric"));
    EXPECT_FALSE(row.at("why").empty());
  }
  for (const Row& row : rows) {
    const auto simulated = simulate(row);
    for (const Compared& each : compared) {
      const double record = std::stod(row.at(each.record));
      const double value = simulated.at(each.simulated);
      if (std::abs(value - record) <= each.tolerance * record) continue;
      const std::string what = stage_of(row) + " " + each.record;
      needed.insert(what);
      EXPECT_TRUE(excepted.contains(what)) << what << " of " << row.at("elements") << ": recorded "
                                           << record << ", simulated " << value;
    }
  }
  for (const std::string& what : excepted) {
    EXPECT_TRUE(needed.contains(what)) << what << " is as recorded: no exception is needed";
  }
}

/// All that have records.
std::vector<std::string> recorded_labs() {
  std::set<std::string> labs;
  for (const Row& row : read_rows("counters-h200.csv")) labs.insert(row.at("lab"));
  return {labs.begin(), labs.end()};
}

INSTANTIATE_TEST_SUITE_P(Labs, StageCounters, testing::ValuesIn(recorded_labs()),
                         [](const auto& lab) {
                           std::string name = lab.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
