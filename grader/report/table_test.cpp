// The table fits where it is shown and says the same without colours.
#include "grader/report/table.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include "common/text.h"

namespace gridstride {
namespace {

StageResult stage(const char* name, Verdict verdict, double score) {
  StageResult result;
  result.name = name;
  result.verdict = verdict;
  result.score = score;
  result.max_score = 10;
  return result;
}

Results results_for_table() {
  Results results;
  results.device.name = "H200";
  StageResult passed = stage("1_interleaved", Verdict::pass, 10);
  passed.cases = {84, 84};
  passed.speedup = Speedup{1.834, 1.81, 1.85, 1.5};
  passed.seconds = Seconds{2.45e-4, 4.5e-4};
  passed.message = "Fine.";
  passed.counters = {{"bank_conflicts", 3}};
  StageResult wrong = stage("2_strided", Verdict::wrong, 0);
  wrong.cases = {3, 84};
  wrong.message = "For n = 1025 the result differs first at index 0: expected 7, got 6.";
  wrong.limits = {{"bank_conflicts", 0, 12, false, "2_strided.cu:9"}};
  results.labs = {{"reduction", 0, 0, {passed, wrong, stage("3_sequential", Verdict::todo, 0)}}};
  results.total();
  return results;
}

TEST(Table, NamesTheCommandThatShowsTheCase) {
  Results results = results_for_table();
  results.labs[0].stages[1].failed_case = "n = 1025, mixed";
  TableOptions own;
  own.own_stages = true;
  const std::string words = "`./lab grade reduction/2_strided --case \"n = 1025, mixed\"` shows";
  EXPECT_NE(to_table(results, {false, 200}, own).find(words), std::string::npos);
  EXPECT_EQ(to_table(results, {false, 200}).find("--case"), std::string::npos);
}

TEST(Table, ShowsRowsThenWhatFallsShort) {
  EXPECT_EQ(to_table(results_for_table(), {false, 100}), R"(reduction on H200

  stage          verdict  score  cases  speedup    between  needs      time  baseline
  1_interleaved  pass     10/10  84/84    1.83x  1.81–1.85  1.50x  0.245 ms  0.450 ms
  2_strided      wrong     0/10   3/84        -          -      -         -         -
  3_sequential   todo      0/10      -        -          -      -         -         -

  2_strided: wrong
    For n = 1025 the result differs first at index 0: expected 7, got 6.

  Still to do: 3_sequential. Replace the TODOs in labs/reduction/; `./lab hint
  reduction/3_sequential` helps.

score 10 of 30
)");
}

TEST(Table, SaysWhichFilesWereIgnored) {
  Results results = results_for_table();
  results.labs[0].ignored = {"9_a;b.cu"};
  EXPECT_NE(to_table(results, {false, 100})
                .find("\n  Ignored, for lab.toml names no such stage: 9_a;b.cu.\n"),
            std::string::npos);
}

TEST(Table, WhatNeighboursHaveInCommonIsSaidOnce) {
  Results results = results_for_table();
  std::vector<StageResult>& stages = results.labs[0].stages;
  stages = {stage("1_interleaved", Verdict::infrastructure, 0),
            stage("2_strided", Verdict::infrastructure, 0),
            stage("3_sequential", Verdict::crash, 0)};
  for (StageResult& one : stages) one.message = "No GPU answers.";
  EXPECT_NE(to_table(results, {false, 100}).find(R"(
  1_interleaved: infrastructure
  2_strided: infrastructure
    No GPU answers.

  3_sequential: crash
    No GPU answers.
)"),
            std::string::npos)
      << to_table(results, {false, 100});
}

TEST(Table, OneValueHasNoInterval) {
  Results results = results_for_table();
  results.labs[0].stages[0].speedup = Speedup{183.4, 183.4, 183.4, 18};
  const std::string text = to_table(results, {false, 100});
  EXPECT_EQ(text.find("between"), std::string::npos) << text;
  EXPECT_NE(text.find("183x  18.0x"), std::string::npos) << text;
}

TEST(Table, FitsNarrowTerminals) {
  for (const std::size_t width : {72u, 60u, 50u, 40u}) {
    std::istringstream lines(to_table(results_for_table(), {false, width}));
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(display_width(line), width) << line;
  }
}

TEST(Table, ColoursChangeNothingButColours) {
  const std::string colored = to_table(results_for_table(), {true, 100});
  EXPECT_NE(colored, to_table(results_for_table(), {false, 100}));
  EXPECT_EQ(clean_text(colored), to_table(results_for_table(), {false, 100}));
}

TEST(Table, VerboseShowsWhatLimitsAndHandoutSpeakOfFirst) {
  Results results = results_for_table();
  StageResult& stage = results.labs[0].stages[1];
  stage.counters = {{"active_lanes", 31.5}, {"bank_conflicts", 12}, {"flops", 7}, {"zeros", 0}};
  const TableOptions once{.verbose = 1, .counters = {{"reduction", {"flops", "none_of_it"}}}};
  std::string text = to_table(results, {false, 100}, once);
  EXPECT_NE(text.find("\n    counter         counted  at most            most of it at\n"
                      "    bank_conflicts       12        0  exceeded  2_strided.cu:9\n"
                      "    flops                 7\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("active_lanes"), std::string::npos) << text;
  EXPECT_NE(text.find("Fine."), std::string::npos) << "also what passes say: " << text;
  text = to_table(results, {false, 100}, {.verbose = 2, .counters = once.counters});
  EXPECT_NE(text.find("    flops                 7\n    active_lanes       31.5\n    zeros  "),
            std::string::npos)
      << text;
  std::istringstream lines(to_table(results, {false, 44}, once));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 44u) << line;
}

TEST(Table, SaysWhatTheCompilerWarnsOfAlsoWhenAStagePasses) {
  Results results = results_for_table();
  std::vector<Remark>& remarks = results.labs[0].stages[0].remarks;
  remarks = {{Remark::Kind::error, "1_interleaved.cu", 1, 1, "an error"},
             {Remark::Kind::warning, "helper.cuh", 4, 1, "of a header"}};
  EXPECT_EQ(to_table(results, {false, 100}).find("warns"), std::string::npos);
  remarks.push_back({Remark::Kind::warning, "1_interleaved.cu", 12, 7, "\"y\" \x1b[2Jis unused"});
  EXPECT_NE(to_table(results, {false, 100})
                .find("\n  1_interleaved: pass\n    The compiler warns:\n"
                      "      | 1_interleaved.cu:12: \"y\" is unused\n"),
            std::string::npos)
      << to_table(results, {false, 100});
  for (int i = 0; i < 20; ++i) remarks.push_back(remarks.back());
  const std::string text = to_table(results, {false, 100});
  EXPECT_NE(text.find("(16 more)"), std::string::npos) << text;
  results.labs[0].stages[0].verdict = Verdict::todo;
  EXPECT_EQ(to_table(results, {false, 100}).find("warns"), std::string::npos) << "of the skeleton";
}

TEST(Table, NamesTheLineOfATodo) {
  Results results = results_for_table();
  results.labs[0].stages[2].remarks = {{Remark::Kind::todo, "3_sequential.cu", 27, 6, "TODO"}};
  EXPECT_NE(to_table(results, {false, 100}).find("Still to do: 3_sequential (line 27). Replace"),
            std::string::npos);
}

TEST(Table, NamesWhatHelpsWithOnesOwnStages) {
  Results results = results_for_table();
  for (const Verdict verdict : {Verdict::wrong, Verdict::slow, Verdict::crash}) {
    results.labs[0].stages[1].verdict = verdict;
    EXPECT_NE(to_table(results, {false, 120}, {.own_stages = true})
                  .find("\n    `./lab hint reduction/2_strided` gives a hint, "
                        "`./lab explain reduction/2_strided` shows what"),
              std::string::npos);
    EXPECT_EQ(to_table(results, {false, 100}).find("explain"), std::string::npos);
  }
  results.labs[0].stages[1].verdict = Verdict::infrastructure;
  EXPECT_EQ(to_table(results, {false, 100}, {.own_stages = true}).find("explain"),
            std::string::npos);
}

TEST(Table, MessagesCannotWriteToTheTerminal) {
  Results results = results_for_table();
  results.labs[0].stages[1].message = "\x1b[1A\x1b[2Kscore 100\x07";
  EXPECT_EQ(to_table(results, {false, 100}).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace gridstride
