// From Google Benchmark's JSON to rungs.
#include "grader/bench/ladder.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace gridstride {
namespace {

using nlohmann::json;

double seconds_in(const std::string& unit) {
  if (unit == "s") return 1;
  if (unit == "ms") return 1e-3;
  if (unit == "us") return 1e-6;
  if (unit == "ns") return 1e-9;
  throw std::runtime_error("a time in '" + unit + "'");
}

/// "2^28 floats/6_vectorized/iterations:1/repeats:60/manual_time" without what the library adds.
std::string row_name(const std::string& run_name) {
  return run_name.substr(0, run_name.find("/iterations:"));
}

/// The number that a stage's name begins with; -1 for what is none.
int stage_number(const std::string& name) {
  std::size_t digits = 0;
  while (digits < name.size() && std::isdigit(static_cast<unsigned char>(name[digits]))) ++digits;
  const bool is_stage = digits > 0 && digits < 4 && digits < name.size() && name[digits] == '_';
  return is_stage ? std::stoi(name.substr(0, digits)) : -1;
}

/// " (farthest)" of "7_user_operation (farthest)": what the row does, where a size has several jobs.
std::string job_of(const std::string& name) {
  const std::size_t at = name.find(" (");
  return at == std::string::npos ? "" : name.substr(at);
}

void read_rate(const json& median, Rung& rung) {
  constexpr double giga = 1e9;
  for (const auto& [key, value] : median.items()) {
    if (!value.is_number()) continue;
    if (key == "GB/s") {
      rung.rate = value.get<double>() * giga, rung.unit = "B/s";
    } else if (key == "Gflop/s") {
      rung.rate = value.get<double>() * giga, rung.unit = "FLOP/s";
    } else if (key.size() > 3 && key.front() == 'G' && key.ends_with("/s")) {
      rung.rate = value.get<double>() * giga, rung.unit = key.substr(1);
    } else if (key == "of_best_read" || key == "of_best_copy" || key == "of_fp32") {
      rung.share = value.get<double>();
      rung.roof = key.substr(key.rfind('_') + 1);
    }
  }
}

/// Of the same size and job; where a size has one library alone, that.
const Rung* library_of(const Rung& rung, const std::vector<Rung>& rungs) {
  const Rung* only = nullptr;
  int libraries = 0;
  for (const Rung& other : rungs) {
    if (!other.is_library || other.size != rung.size) continue;
    if (job_of(other.name) == job_of(rung.name)) return &other;
    only = &other, ++libraries;
  }
  return libraries == 1 && job_of(rung.name).empty() ? only : nullptr;
}

/// The medians in the order in which the bench has added its rows; as they were run, they are mixed.
std::vector<json> medians_of(const json& runs) {
  std::vector<json> medians;
  for (const json& run : runs)
    if (run.value("aggregate_name", "") == "median") medians.push_back(run);
  std::ranges::stable_sort(medians, {},
                           [](const json& run) { return run.at("family_index").get<int>(); });
  return medians;
}

std::vector<Rung> read_rungs(const json& document) {
  std::vector<Rung> rungs;
  std::vector<std::string> sizes;
  for (const json& run : medians_of(document.at("benchmarks"))) {
    Rung& rung = rungs.emplace_back();
    const std::string name = row_name(run.at("run_name"));
    const std::size_t slash = name.rfind('/');
    if (slash != std::string::npos) rung.size = name.substr(0, slash);
    rung.name = slash == std::string::npos ? name : name.substr(slash + 1);
    rung.is_library = run.value("label", "") == "library";
    rung.seconds = run.at("real_time").get<double>() * seconds_in(run.at("time_unit"));
    read_rate(run, rung);
    for (const json& other : document.at("benchmarks")) {
      if (other.value("aggregate_name", "") == "cv" && other.at("run_name") == run.at("run_name"))
        rung.spread = other.at("real_time");
    }
    if (std::ranges::find(sizes, rung.size) == sizes.end()) sizes.push_back(rung.size);
  }
  const auto rank = [&](const Rung& rung) {
    const int number = stage_number(rung.name);
    return std::tuple(std::ranges::find(sizes, rung.size) - sizes.begin(),
                      number < 0 ? 1000 : number);
  };
  std::ranges::stable_sort(rungs, {}, rank);
  return rungs;
}

}  // namespace

Ladder read_ladder(const std::string& lab, const std::string& text) {
  Ladder ladder;
  ladder.lab = lab;
  try {
    const json document = json::parse(text);
    ladder.device = document.at("context").value("device", "");
    ladder.rungs = read_rungs(document);
  } catch (const json::exception& error) {
    throw std::runtime_error("what bench-" + lab +
                             " wrote is not Google Benchmark's: " + error.what());
  }
  for (Rung& rung : ladder.rungs) {
    const Rung* library = library_of(rung, ladder.rungs);
    if (library != nullptr && rung.seconds > 0) rung.speed_up = library->seconds / rung.seconds;
  }
  return ladder;
}

}  // namespace gridstride
