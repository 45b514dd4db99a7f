// One place knows the schema: a writer and a reader, side by side.
#include "grader/report/json.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/text.h"

namespace gridstride {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  constexpr double exact = 9007199254740992.0;  // 2^53: beyond it doubles skip whole numbers
  if (!std::isfinite(value)) return nullptr;
  if (value == std::floor(value) && std::abs(value) <= exact)
    return static_cast<std::int64_t>(value);
  return value;
}

Json limit_to_json(const LimitResult& limit) {
  return {{"counter", clean_text(limit.counter)},
          {"at_most", number(limit.at_most)},
          {"value", number(limit.value)},
          {"met", limit.met},
          {"where", clean_text(limit.where)}};
}

Json remark_to_json(const Remark& remark) {
  return {{"kind", name_of(remark.kind)},
          {"file", clean_text(remark.file)},
          {"line", remark.line},
          {"column", remark.column},
          {"text", clean_text(remark.text)}};
}

Json conditions_to_json(const GpuConditions& conditions) {
  Json throttled = Json::array();
  for (const std::string& reason : conditions.throttled) throttled.push_back(clean_text(reason));
  return {
      {"clock_mhz", {{"lowest", conditions.lowest_clock}, {"highest", conditions.highest_clock}}},
      {"memory_clock_mhz", conditions.memory_clock},
      {"temperature_celsius", conditions.temperature},
      {"throttled", std::move(throttled)},
      {"other_processes", conditions.other_processes},
      {"ecc", conditions.ecc},
      {"mig", conditions.mig}};
}

/// Nothing where time is modelled.
void add_calls(Json& json, const char* key, const std::vector<double>& seconds) {
  for (const double each : seconds) json[key].push_back(number(each));
}

Json stage_to_json(const StageResult& stage) {
  Json json = {{"name", clean_text(stage.name)},
               {"verdict", name_of(stage.verdict)},
               {"score", number(stage.score)},
               {"max_score", number(stage.max_score)},
               {"cases", {{"passed", stage.cases.passed}, {"total", stage.cases.total}}},
               {"message", clean_text(stage.message)},
               {"speedup", nullptr},
               {"seconds", nullptr},
               {"counters", Json::object()},
               {"limits", Json::array()},
               {"remarks", Json::array()}};
  if (stage.speedup) {
    json["speedup"] = {{"value", number(stage.speedup->value)},
                       {"low", number(stage.speedup->low)},
                       {"high", number(stage.speedup->high)},
                       {"required", number(stage.speedup->required)}};
    if (stage.speedup->estimated) json["speedup"]["estimated"] = true;
  }
  if (stage.seconds) {
    json["seconds"] = {{"student", number(stage.seconds->student)},
                       {"baseline", number(stage.seconds->baseline)}};
    add_calls(json["seconds"], "student_calls", stage.seconds->student_calls);
    add_calls(json["seconds"], "baseline_calls", stage.seconds->baseline_calls);
  }
  for (const auto& [name, value] : stage.counters)
    json["counters"][clean_text(name)] = number(value);
  for (const LimitResult& limit : stage.limits) json["limits"].push_back(limit_to_json(limit));
  if (!stage.failed_case.empty()) json["failed_case"] = clean_text(stage.failed_case);
  if (stage.case_too_large) json["case_too_large"] = true;
  for (const Remark& remark : stage.remarks) json["remarks"].push_back(remark_to_json(remark));
  if (stage.conditions) json["conditions"] = conditions_to_json(*stage.conditions);
  return json;
}

/// What only a real GPU has is left out for the simulated one.
Json device_to_json(const DeviceDescription& device) {
  Json json = {{"kind", clean_text(device.kind)},
               {"name", clean_text(device.name)},
               {"driver", clean_text(device.driver)},
               {"toolkit", clean_text(device.toolkit)}};
  if (device.rates.known())
    json["rates"] = {{"bandwidth", number(device.rates.bandwidth)},
                     {"arithmetic", number(device.rates.arithmetic)},
                     {"atomics", number(device.rates.atomics)}};
  if (!device.thresholds.device.empty())
    json["thresholds"] = {{"device", clean_text(device.thresholds.device)},
                          {"estimated", device.thresholds.estimated}};
  return json;
}

/// A value and where it stands in the document, so that an error can say so.
class Reader {
 public:
  Reader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

  Reader at(const char* key) const {
    expect(json_.is_object(), "an object");
    const auto found = json_.find(key);
    if (found == json_.end())
      throw JsonError("expected the key \"" + std::string(key) + "\" " + place());
    return {*found, where_ + "/" + key};
  }
  bool has(const char* key) const { return json_.is_object() && json_.contains(key); }
  template <class Visit>
  void each_item(Visit visit) const {
    expect(json_.is_array(), "an array");
    for (std::size_t i = 0; i < json_.size(); ++i)
      visit(Reader(json_[i], where_ + "/" + std::to_string(i)));
  }
  template <class Visit>
  void each_member(Visit visit) const {
    expect(json_.is_object(), "an object");
    for (const auto& [key, value] : json_.items()) visit(key, Reader(value, where_ + "/" + key));
  }

  bool is_null() const { return json_.is_null(); }
  double number() const {
    if (json_.is_null()) return std::numeric_limits<double>::quiet_NaN();
    expect(json_.is_number(), "a number");
    return json_.get<double>();
  }
  int integer() const {
    expect(json_.is_number_integer(), "a whole number");
    return json_.get<int>();
  }
  std::string text() const {
    expect(json_.is_string(), "a string");
    return clean_text(json_.get<std::string>());
  }
  bool boolean() const {
    expect(json_.is_boolean(), "true or false");
    return json_.get<bool>();
  }
  void expect(bool holds, const std::string& what) const {
    if (!holds)
      throw JsonError("expected " + what + " " + place() + ", found " +
                      shorten(json_.dump(-1, ' ', false, Json::error_handler_t::replace), 60));
  }

 private:
  std::string place() const { return where_.empty() ? "at the top" : "at " + where_; }

  const Json& json_;
  std::string where_;
};

LimitResult read_limit(const Reader& json) {
  LimitResult limit;
  limit.counter = json.at("counter").text();
  limit.at_most = json.at("at_most").number();
  limit.value = json.at("value").number();
  limit.met = json.at("met").boolean();
  limit.where = json.at("where").text();
  return limit;
}

std::vector<double> read_calls(const Reader& json, const char* key) {
  std::vector<double> seconds;
  if (json.has(key))
    json.at(key).each_item([&](const Reader& each) { seconds.push_back(each.number()); });
  return seconds;
}

Remark read_remark(const Reader& json) {
  using Kind = Remark::Kind;
  Remark remark;
  const std::string kind = json.at("kind").text();
  for (const Kind one : {Kind::todo, Kind::error, Kind::warning, Kind::finding})
    if (kind == name_of(one)) remark.kind = one;
  json.at("kind").expect(kind == name_of(remark.kind), "a kind of remark");
  remark.file = json.at("file").text();
  remark.line = json.at("line").integer();
  remark.column = json.at("column").integer();
  remark.text = json.at("text").text();
  return remark;
}

GpuConditions read_conditions(const Reader& json) {
  GpuConditions conditions;
  conditions.lowest_clock = json.at("clock_mhz").at("lowest").integer();
  conditions.highest_clock = json.at("clock_mhz").at("highest").integer();
  conditions.memory_clock = json.at("memory_clock_mhz").integer();
  conditions.temperature = json.at("temperature_celsius").integer();
  json.at("throttled").each_item([&](const Reader& reason) {
    conditions.throttled.push_back(reason.text());
  });
  conditions.other_processes = json.at("other_processes").integer();
  conditions.ecc = json.at("ecc").boolean();
  conditions.mig = json.at("mig").boolean();
  return conditions;
}

DeviceDescription read_device(const Reader& json) {
  DeviceDescription device = {json.at("kind").text(), json.at("name").text(),
                              json.at("driver").text(), json.at("toolkit").text()};
  if (json.has("rates")) {
    const Reader rates = json.at("rates");
    device.rates = {rates.at("bandwidth").number(), rates.at("arithmetic").number(),
                    rates.at("atomics").number()};
  }
  if (json.has("thresholds")) {
    const Reader thresholds = json.at("thresholds");
    device.thresholds = {thresholds.at("device").text(), thresholds.at("estimated").boolean()};
  }
  return device;
}

StageResult read_stage(const Reader& json) {
  StageResult stage;
  stage.name = json.at("name").text();
  const auto verdict = verdict_named(json.at("verdict").text());
  json.at("verdict").expect(verdict.has_value(), "a verdict");
  stage.verdict = *verdict;
  stage.score = json.at("score").number();
  stage.max_score = json.at("max_score").number();
  stage.cases = {json.at("cases").at("passed").integer(), json.at("cases").at("total").integer()};
  stage.message = json.at("message").text();
  if (json.has("failed_case")) stage.failed_case = json.at("failed_case").text();
  stage.case_too_large = json.has("case_too_large") && json.at("case_too_large").boolean();
  if (const Reader speedup = json.at("speedup"); !speedup.is_null()) {
    stage.speedup = Speedup{speedup.at("value").number(), speedup.at("low").number(),
                            speedup.at("high").number(), speedup.at("required").number(),
                            speedup.has("estimated") && speedup.at("estimated").boolean()};
  }
  if (const Reader seconds = json.at("seconds"); !seconds.is_null()) {
    stage.seconds =
        Seconds{seconds.at("student").number(), seconds.at("baseline").number(),
                read_calls(seconds, "student_calls"), read_calls(seconds, "baseline_calls")};
  }
  json.at("counters").each_member([&](const std::string& name, const Reader& value) {
    stage.counters[name] = value.number();
  });
  json.at("limits").each_item(
      [&](const Reader& limit) { stage.limits.push_back(read_limit(limit)); });
  if (json.has("remarks"))
    json.at("remarks").each_item(
        [&](const Reader& remark) { stage.remarks.push_back(read_remark(remark)); });
  if (json.has("conditions")) stage.conditions = read_conditions(json.at("conditions"));
  return stage;
}

}  // namespace

std::string to_json(const Results& results) {
  Json labs = Json::array();
  for (const LabResult& lab : results.labs) {
    Json stages = Json::array();
    for (const StageResult& stage : lab.stages) stages.push_back(stage_to_json(stage));
    Json ignored = Json::array();
    for (const std::string& name : lab.ignored) ignored.push_back(clean_text(name));
    labs.push_back({{"name", clean_text(lab.name)},
                    {"score", number(lab.score)},
                    {"max_score", number(lab.max_score)},
                    {"stages", std::move(stages)},
                    {"ignored", std::move(ignored)}});
  }
  const Json document = {{"schema", Results::schema},
                         {"device", device_to_json(results.device)},
                         {"score", number(results.score)},
                         {"max_score", number(results.max_score)},
                         {"labs", std::move(labs)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Results from_json(std::string_view text) {
  Json document;
  try {
    document = Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw JsonError("not JSON: " + clean_text(error.what()));
  }
  const Reader json(document, "");
  const int schema = json.at("schema").integer();
  json.at("schema").expect(schema == Results::schema, "schema " + std::to_string(Results::schema));
  Results results;
  results.device = read_device(json.at("device"));
  results.score = json.at("score").number();
  results.max_score = json.at("max_score").number();
  json.at("labs").each_item([&](const Reader& entry) {
    LabResult& lab = results.labs.emplace_back();
    lab.name = entry.at("name").text();
    lab.score = entry.at("score").number();
    lab.max_score = entry.at("max_score").number();
    entry.at("stages").each_item(
        [&](const Reader& stage) { lab.stages.push_back(read_stage(stage)); });
    if (entry.has("ignored"))
      entry.at("ignored").each_item(
          [&](const Reader& name) { lab.ignored.push_back(name.text()); });
  });
  return results;
}

}  // namespace gridstride
