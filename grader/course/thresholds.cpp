// See the header. The files are written by `lab calibrate` and may be edited by an instructor.
#include "grader/course/thresholds.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/text.h"
#include "grader/course/lab_config.h"
#include "grader/course/toml_reader.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

constexpr double share_of_slower = 0.8;
double rounded_down(double value) {
  if (value <= 0 || !std::isfinite(value)) return 0;
  const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
  // 1.28 is 127.99999 hundredths.
  return std::floor(value / unit * (1 + 1e-12)) * unit;
}

/// As short as it can be read back with: 1.28, 1219.
std::string short_number(double value) { return fmt::format("{:.4g}", value); }

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char each : clean_text(text)) {
    if (each == '"' || each == '\\') out += '\\';
    out += each == '\n' ? ' ' : each;
  }
  return out + '"';
}

/// How far apart two devices are in what speedups depend on: factors between their ratios of arithmetic
/// to bandwidth and of atomics to bandwidth, added up on a logarithmic scale.
double distance(const DeviceRates& one, const DeviceRates& other) {
  if (!one.known() || !other.known()) return std::numeric_limits<double>::max();
  const auto apart = [](double a, double b) { return std::abs(std::log(a / b)); };
  return apart(one.arithmetic / one.bandwidth, other.arithmetic / other.bandwidth) +
         apart(one.atomics / one.bandwidth, other.atomics / other.bandwidth);
}

DeviceRates read_rates(TomlReader& reader) {
  auto rates = reader.numbers("rates", {"bandwidth", "arithmetic", "atomics"});
  return {rates["bandwidth"], rates["arithmetic"], rates["atomics"]};
}

}  // namespace

double threshold_of(double own, double before) {
  const bool shows = own >= gain_that_shows * before;
  return rounded_down(shows ? std::sqrt(own * before) : share_of_slower * std::min(own, before));
}

std::string thresholds_file_name(const std::string& device) {
  std::string name;
  for (const char each : device) {
    if (std::isalnum(static_cast<unsigned char>(each)) != 0) {
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (name.ends_with('-')) name.pop_back();
  return (name.empty() ? "gpu" : name) + ".toml";
}

DeviceThresholds read_thresholds(const fs::path& file) {
  const std::string shown = "thresholds/" + file.filename().string();
  const toml::table document = read_toml(file, shown);
  TomlReader reader(document, shown, "the thresholds");
  DeviceThresholds out;
  out.file = file;
  out.device.kind = "gpu";
  out.device.name = reader.text("device");
  out.device.driver = reader.text_or("driver", "");
  out.device.toolkit = reader.text_or("toolkit", "");
  out.device.rates = read_rates(reader);
  out.date = reader.text_or("date", "");
  out.command = reader.text_or("command", "");
  out.rounds = static_cast<int>(std::min(reader.number_or("rounds", 0), 1e6));
  reader.tables("stage", [&](TomlReader& stage) {
    const std::string name = stage.text("name");
    if (out.stages.contains(name))
      stage.fail_at("name", "expected each stage once, found '" + clean_text(name) + "' again");
    StageThreshold& one = out.stages[name];
    one.required = stage.number_or("min_speedup", 0);
    if (one.required <= 0) stage.fail_at("min_speedup", "expected 'min_speedup' above 0");
    auto measured = stage.numbers("measured", {"speedup", "low", "high"});
    one.speedup = measured["speedup"];
    one.low = measured["low"];
    one.high = measured["high"];
    one.earlier_passes = stage.flag("earlier_stage_passes");
  });
  reader.finish();
  return out;
}

std::string to_toml(const DeviceThresholds& thresholds) {
  const DeviceDescription& device = thresholds.device;
  const DeviceRates& rates = device.rates;
  std::string out =
      "# What the solutions reach on this GPU, and what is required of a stage graded there. "
      "Written\n"
      "# by `lab calibrate`; docs/lab-author.md says by which rule. Speedups are over the "
      "baseline.\n\n";
  const std::pair<const char*, const std::string&> texts[] = {{"device", device.name},
                                                              {"driver", device.driver},
                                                              {"toolkit", device.toolkit},
                                                              {"date", thresholds.date},
                                                              {"command", thresholds.command}};
  for (const auto& [key, text] : texts)
    if (!text.empty()) out += fmt::format("{} = {}\n", key, quoted(text));
  out += fmt::format(
      "rounds = {}\n\n"
      "# GB/s of its memory's pins, GFLOP/s of its float units, and billion atomic additions a "
      "second to\n"
      "# one word: by their ratios a GPU without such a file is given that of the nearest one.\n"
      "rates = {{ bandwidth = {}, arithmetic = {}, atomics = {} }}\n",
      thresholds.rounds, short_number(rates.bandwidth), short_number(rates.arithmetic),
      short_number(rates.atomics));
  for (const auto& [name, stage] : thresholds.stages) {
    out += fmt::format(
        "\n[[stage]]\nname = {}\nmeasured = {{ speedup = {}, low = {}, high = {} }}\nmin_speedup = "
        "{}\n",
        quoted(name), short_number(stage.speedup), short_number(stage.low),
        short_number(stage.high), short_number(stage.required));
    if (stage.earlier_passes)
      out +=
          "earlier_stage_passes = true  # its time does not show what it teaches; its limits do\n";
  }
  return out;
}

std::vector<DeviceThresholds> all_thresholds(const fs::path& folder) {
  std::error_code missing;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, missing), end; !missing && entry != end;
       entry.increment(missing)) {
    if (entry->path().extension() == ".toml") files.push_back(entry->path());
  }
  std::ranges::sort(files);
  std::vector<DeviceThresholds> all;
  for (const fs::path& file : files) all.push_back(read_thresholds(file));
  return all;
}

std::optional<ChosenThresholds> choose_thresholds(const std::vector<DeviceThresholds>& all,
                                                  const DeviceDescription& device) {
  if (all.empty()) return std::nullopt;
  const auto own = std::ranges::find_if(
      all, [&](const DeviceThresholds& each) { return each.device.name == device.name; });
  if (own != all.end()) return ChosenThresholds{*own, false};
  const auto nearest = std::ranges::min_element(all, {}, [&](const DeviceThresholds& each) {
    return distance(each.device.rates, device.rates);
  });
  return ChosenThresholds{*nearest, true};
}

}  // namespace gridstride
