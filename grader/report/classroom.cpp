// What one grader of GitHub Classroom's hands to its reporter.
#include "grader/report/classroom.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "common/text.h"

namespace gridstride {
namespace {

using Json = nlohmann::ordered_json;

std::string message_of(const StageResult& stage) {
  std::string text = name_of(stage.verdict);
  if (!stage.message.empty()) text += ": " + stage.message;
  return clean_text(text);
}

}  // namespace

std::string to_classroom(const Results& results) {
  Json tests = Json::array();
  bool all_pass = true;
  for (const LabResult& lab : results.labs) {
    for (const StageResult& stage : lab.stages) {
      const bool passes = stage.verdict == Verdict::pass;
      all_pass = all_pass && passes;
      tests.push_back({{"name", clean_text(lab.name + "/" + stage.name)},
                       {"status", passes ? "pass" : "fail"},
                       {"score", stage.score},
                       {"message", passes ? std::string() : message_of(stage)},
                       {"test_code", ""},
                       {"filename", clean_text(stage.name + ".cu")},
                       {"line_no", 0},
                       {"duration", 0}});
    }
  }
  const Json document = {{"version", 1},
                         {"status", all_pass ? "pass" : "fail"},
                         {"max_score", results.max_score},
                         {"tests", std::move(tests)}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string classroom_notices(const Results& results) {
  const std::string points = plain_number(results.score), most = plain_number(results.max_score);
  return "::notice title=Autograding complete::Points " + points + "/" + most +
         "\n::notice title=Autograding report::{\"totalPoints\":" + points +
         ",\"maxPoints\":" + most + "}\n";
}

}  // namespace gridstride
