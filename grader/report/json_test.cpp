// The schema, byte for byte: other tools are written against it.
#include "grader/report/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <vector>

namespace gridstride {
namespace {

Results results_for_json() {
  Results results;
  results.device = {"sim", "Simulated", "", "13.0"};
  StageResult stage;
  stage.name = "3_sequential";
  stage.verdict = Verdict::slow;
  stage.score = 7.25;
  stage.max_score = 10;
  stage.cases = {41, 41};
  stage.message = "1.40x, needs 1.52x";
  stage.speedup = Speedup{1.4, 1.375, 1.5, 1.52};
  stage.seconds = Seconds{1.25e-4, 1.75e-4};
  stage.counters = {{"bank_conflicts", 12}, {"sectors_per_request", 4.5}};
  stage.limits = {{"bank_conflicts", 0, 12, false, "3_sequential.cu:21"}};
  stage.remarks = {{Remark::Kind::warning, "3_sequential.cu", 12, 7, "unused"}};
  results.labs = {{"reduction", 0, 0, {stage}, {"9_a;b.cu"}}};
  results.total();
  return results;
}

constexpr const char* sample_text = R"({
  "schema": 1,
  "device": {
    "kind": "sim",
    "name": "Simulated",
    "driver": "",
    "toolkit": "13.0"
  },
  "score": 7.25,
  "max_score": 10,
  "labs": [
    {
      "name": "reduction",
      "score": 7.25,
      "max_score": 10,
      "stages": [
        {
          "name": "3_sequential",
          "verdict": "slow",
          "score": 7.25,
          "max_score": 10,
          "cases": {
            "passed": 41,
            "total": 41
          },
          "message": "1.40x, needs 1.52x",
          "speedup": {
            "value": 1.4,
            "low": 1.375,
            "high": 1.5,
            "required": 1.52
          },
          "seconds": {
            "student": 0.000125,
            "baseline": 0.000175
          },
          "counters": {
            "bank_conflicts": 12,
            "sectors_per_request": 4.5
          },
          "limits": [
            {
              "counter": "bank_conflicts",
              "at_most": 0,
              "value": 12,
              "met": false,
              "where": "3_sequential.cu:21"
            }
          ],
          "remarks": [
            {
              "kind": "warning",
              "file": "3_sequential.cu",
              "line": 12,
              "column": 7,
              "text": "unused"
            }
          ]
        }
      ],
      "ignored": [
        "9_a;b.cu"
      ]
    }
  ]
}
)";

std::string error_of(const std::string& text) {
  try {
    from_json(text);
  } catch (const JsonError& error) {
    return error.what();
  }
  return "no error";
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  text.replace(text.find(what), what.size(), by);
  return text;
}

TEST(Json, KeepsTheCaseThatFailed) {
  Results results;
  StageResult stage;
  stage.name = "1_first";
  stage.failed_case = "n=33";
  stage.case_too_large = true;
  results.labs = {{"scan", 0, 0, {stage, {}}}};
  const Results read = from_json(to_json(results));
  EXPECT_EQ(read.labs.at(0).stages.at(0).failed_case, "n=33");
  EXPECT_EQ(read.labs.at(0).stages.at(1).failed_case, "");
  EXPECT_TRUE(read.labs.at(0).stages.at(0).case_too_large);
  EXPECT_FALSE(read.labs.at(0).stages.at(1).case_too_large);
}

TEST(Json, WritesTheSchema) { EXPECT_EQ(to_json(results_for_json()), sample_text); }

TEST(Json, KeepsWhatEachMeasuredCallTook) {
  Results results = results_for_json();
  results.labs[0].stages[0].seconds->student_calls = {1.25e-4, 1.5e-4};
  results.labs[0].stages[0].seconds->baseline_calls = {1.75e-4, 1.75e-4};
  const Results read = from_json(to_json(results));
  const std::optional<Seconds>& seconds = read.labs[0].stages[0].seconds;
  EXPECT_EQ(seconds->student_calls, (std::vector{1.25e-4, 1.5e-4}));
  EXPECT_EQ(seconds->baseline_calls, (std::vector{1.75e-4, 1.75e-4}));
}

TEST(Json, ReadsWhatItWrote) { EXPECT_EQ(to_json(from_json(sample_text)), sample_text); }

TEST(Json, AReportOfAnOlderGraderHasNothingIgnored) {
  Results results = from_json(replaced(sample_text, "\"ignored\"", "\"else\""));
  EXPECT_TRUE(results.labs[0].ignored.empty());
}

TEST(Json, KnowsEachKindOfRemarkAndNoOther) {
  for (const char* kind : {"todo", "error", "warning", "finding"}) {
    const Results results =
        from_json(replaced(sample_text, "\"warning\"", '"' + std::string(kind) + '"'));
    EXPECT_STREQ(name_of(results.labs[0].stages[0].remarks.at(0).kind), kind);
  }
  EXPECT_NE(error_of(replaced(sample_text, "\"warning\"", "\"guess\"")).find("a kind of remark"),
            std::string::npos);
  EXPECT_TRUE(from_json(replaced(sample_text, "\"remarks\"", "\"else\""))
                  .labs[0]
                  .stages[0]
                  .remarks.empty());
}

TEST(Json, AStageThatWasNotTimedHasNulls) {
  Results results = results_for_json();
  results.labs[0].stages[0].speedup.reset();
  results.labs[0].stages[0].seconds.reset();
  const std::string text = to_json(results);
  EXPECT_NE(text.find("\"speedup\": null"), std::string::npos) << text;
  EXPECT_FALSE(from_json(text).labs[0].stages[0].speedup);
}

TEST(Json, NumbersThatJsonLacksAreNull) {
  Results results = results_for_json();
  results.labs[0].stages[0].speedup->value = std::numeric_limits<double>::infinity();
  EXPECT_NE(to_json(results).find("\"value\": null"), std::string::npos);
}

TEST(Json, HostileTextIsCleaned) {
  Results results = results_for_json();
  results.labs[0].stages[0].message = "\x1b[2J\xFF\"quote\"\nnext\x01";
  EXPECT_EQ(from_json(to_json(results)).labs[0].stages[0].message, "\uFFFD\"quote\"\nnext\uFFFD");
}

TEST(Json, ErrorsSayWhereAndWhatWasExpected) {
  EXPECT_NE(error_of("{").find("not JSON"), std::string::npos);
  EXPECT_EQ(error_of("[]"), "expected an object at the top, found []");
  EXPECT_EQ(error_of(replaced(sample_text, "\"schema\": 1", "\"schema\": 2")),
            "expected schema 1 at /schema, found 2");
  EXPECT_EQ(error_of(replaced(sample_text, "\"slow\"", "\"fine\"")),
            "expected a verdict at /labs/0/stages/0/verdict, found \"fine\"");
  EXPECT_EQ(error_of(replaced(sample_text, "\"passed\": 41", "\"passed\": \"41\"")),
            "expected a whole number at /labs/0/stages/0/cases/passed, found \"41\"");
  EXPECT_EQ(error_of(replaced(sample_text, "\"message\"", "\"massage\"")),
            "expected the key \"message\" at /labs/0/stages/0");
}

}  // namespace
}  // namespace gridstride
