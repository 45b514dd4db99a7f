// The format is Gradescope's: "tests", "leaderboard", visibilities.
#include "grader/report/gradescope.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "common/text.h"

namespace gridstride {
namespace {

using Json = nlohmann::ordered_json;

std::string output_of_stage(const StageResult& stage) {
  std::string text = std::string("Verdict: ") + name_of(stage.verdict) + ".";
  if (stage.cases.total > 0)
    text += " Cases: " + std::to_string(stage.cases.passed) + " of " +
            std::to_string(stage.cases.total) + ".";
  if (stage.speedup)
    text += " Speedup: " + plain_number(stage.speedup->value) + ", required " +
            plain_number(stage.speedup->required) + ".";
  if (!stage.message.empty()) text += "\n\n" + stage.message;
  for (const Remark& remark : stage.remarks)
    if (remark.kind == Remark::Kind::warning)
      text += "\n" + remark.file + ":" + std::to_string(remark.line) + ": warning: " + remark.text;
  return clean_text(text);
}

/// Each stage's counters, which would give a clever student the limits of the next stage.
std::string counted(const LabResult& lab) {
  std::string text;
  for (const StageResult& stage : lab.stages) {
    text += stage.name + "\n";
    for (const auto& [name, value] : stage.counters)
      text += "  " + name + " " + plain_number(value) + "\n";
    for (const LimitResult& limit : stage.limits)
      text += "  limit: " + limit.counter + " at most " + plain_number(limit.at_most) +
              (limit.met ? ", met" : ", not met") + "\n";
  }
  return clean_text(text);
}

}  // namespace

std::string to_gradescope(const Results& results) {
  Json tests = Json::array(), leaderboard = Json::array();
  std::string said = "Graded on " + results.device.name + ".";
  for (const LabResult& lab : results.labs) {
    for (const StageResult& stage : lab.stages) {
      const bool passes = stage.verdict == Verdict::pass;
      tests.push_back({{"name", lab.name + "/" + clean_text(stage.name)},
                       {"score", stage.score},
                       {"max_score", stage.max_score},
                       {"status", passes ? "passed" : "failed"},
                       {"output", output_of_stage(stage)},
                       {"output_format", "text"},
                       {"visibility", "visible"}});
      if (passes && stage.speedup)
        leaderboard.push_back(
            {{"name", "speedup of " + clean_text(stage.name)}, {"value", stage.speedup->value}});
    }
    tests.push_back({{"name", lab.name + ": what was counted"},
                     {"output", counted(lab)},
                     {"output_format", "text"},
                     {"visibility", "hidden"}});
    if (const std::string ignored = ignored_line(lab); !ignored.empty()) said += "\n" + ignored;
  }
  const Json document = {{"score", results.score},
                         {"output", clean_text(said)},
                         {"output_format", "text"},
                         {"visibility", "visible"},
                         {"stdout_visibility", "hidden"},
                         {"tests", std::move(tests)},
                         {"leaderboard", std::move(leaderboard)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gridstride
