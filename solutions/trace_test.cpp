// What is recorded of a stage is what its kernel did: the recorded writes, replayed, leave memory as the
// kernel left it. Of every solution, with bounds that no recorded block of one reaches.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/simulator/playback/playback.h"
#include "common/subprocess.h"
#include "grader/course/lab_config.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

/// What the grader of a lab writes of a stage; `more` are words for it, which say whose code.
nlohmann::json recorded(const std::string& lab, const std::string& stage,
                        const std::vector<std::string>& more = {"--solutions"}) {
  const TemporaryFolder scratch;
  const fs::path file = scratch.path() / (stage + ".json");
  Subprocess grader;
  grader.command = {(fs::path(GRIDSTRIDE_BUILD_DIR) / "bin" / ("grade-" + lab)).string(),
                    "--sandbox",
                    "off",
                    "--trace",
                    file.string(),
                    stage};
  grader.command.insert(grader.command.end(), more.begin(), more.end());
  grader.hide_errors = true;
  if (!run_process(grader).succeeded()) throw std::runtime_error(stage + " was not recorded");
  return nlohmann::json::parse(read_file(file, std::size_t{1} << 30));
}

/// An access is missing where an instruction that makes one did so, and nothing was told.
std::size_t steps_without_accesses(const sim::Trace& trace) {
  return static_cast<std::size_t>(std::ranges::count_if(trace.steps, [&](const auto& step) {
    const sim::TraceOp& op = trace.ops[step.op];
    const bool moves = op.kind == sim::TraceKind::load || op.kind == sim::TraceKind::store ||
                       op.kind == sim::TraceKind::atomic || op.kind == sim::TraceKind::copy;
    return moves && step.lanes != 0 && step.accesses.empty();
  }));
}

/// Lanes of one atomic find what the lane before them left, where they meet.
std::size_t broken_turns(const sim::Trace& trace) {
  std::size_t broken = 0;
  for (const sim::TraceStep& step : trace.steps) {
    for (const sim::TraceAccess& access : step.accesses) {
      if (access.kind != sim::TraceKind::atomic) continue;
      std::map<std::uint64_t, std::uint64_t> left;
      for (std::size_t i = 0; i < access.values.size(); ++i) {
        const std::uint64_t place =
            access.places[i / access.count] + i % access.count * access.bytes;
        if (left.contains(place) && left[place] != access.values[i]) ++broken;
        left[place] = access.after[i];
      }
    }
  }
  return broken;
}

class TraceTest : public testing::TestWithParam<std::string> {};

TEST_P(TraceTest, ReplayedWritesAreWhatMemoryHoldsAtTheEnd) {
  const std::string lab = GetParam();
  const LabConfig config = load_lab_config(fs::path(GRIDSTRIDE_SOURCE_DIR) / "labs" / lab);
  ASSERT_FALSE(config.stages.empty());
  for (const StageConfig& stage : config.stages) {
    SCOPED_TRACE(lab + "/" + stage.name);
    const nlohmann::json entry =
        recorded(lab, stage.name,
                 {"--solutions", "--trace-steps", "1000000", "--trace-bytes", "1000000000"});
    EXPECT_EQ(entry.at("verdict"), "pass") << entry.at("message");
    ASSERT_FALSE(entry.at("recorded").is_null());
    ASSERT_FALSE(entry.at("recorded").at("trace").is_null());
    const sim::Playback playback(sim::trace_of(entry.at("recorded").at("trace")), {});
    EXPECT_FALSE(playback.trace().steps.empty());
    EXPECT_FALSE(playback.trace().end.empty());
    EXPECT_FALSE(playback.trace().cut);
    EXPECT_EQ(playback.differing_bytes(), 0u);
    EXPECT_EQ(steps_without_accesses(playback.trace()), 0u);
    EXPECT_EQ(broken_turns(playback.trace()), 0u);
  }
}

TEST(TraceTest, NamesWhoHadWrittenInTheLaunchesBefore) {
  const auto last = recorded("jacobi", "3_stop", {"--solutions", "--trace-kernel", "hand_over"});
  const sim::Trace trace = sim::trace_of(last.at("recorded").at("trace"));
  ASSERT_FALSE(trace.earlier.empty());
  bool by_the_sweep_before = false;
  for (const sim::TraceEarlier& one : trace.earlier) {
    EXPECT_LT(one.writer.launch, trace.launch);
    by_the_sweep_before |= one.writer.kernel.find("sweep_and_look") != std::string::npos;
  }
  EXPECT_TRUE(by_the_sweep_before);
  // The launch that is named is recorded by its number, and writes the place.
  const sim::TraceEarlier& wanted = trace.earlier.front();
  const auto before =
      recorded("jacobi", "3_stop",
               {"--solutions", "--trace-launch", std::to_string(wanted.writer.launch + 1)});
  const sim::Trace writer = sim::trace_of(before.at("recorded").at("trace"));
  EXPECT_EQ(writer.launch, wanted.writer.launch);
  EXPECT_EQ(writer.kernel, wanted.writer.kernel);
}

TEST(TraceTest, RecordsTheCallThatIsWrongAfterOthers) {
  const std::string stage = "2_any_length",
                    wrong = "solutions/compact-split/wrong/counter_not_reset";
  const fs::path build = GRIDSTRIDE_BUILD_DIR;
  const auto entry =
      recorded("compact-split", stage,
               {"--library", stage + "=" + (build / "stages" / (wrong + ".so")).string(),
                "--source", stage + "=" + (build / (wrong + ".cu")).string()});
  EXPECT_NE(entry.at("why").get<std::string>().find("recorded is call 2 of as many equal ones"),
            std::string::npos)
      << entry.at("why");
  EXPECT_EQ(entry.at("wrong").at("text"), "count[0]");
  // What was left behind: the total is 1 more than what this call adds.
  const sim::Trace trace = sim::trace_of(entry.at("recorded").at("trace"));
  const auto total = std::ranges::find_if(
      trace.allocations, [](const auto& one) { return one.name.ends_with("total"); });
  ASSERT_NE(total, trace.allocations.end());
  std::uint64_t loaded = 0;
  for (const sim::TraceStep& step : trace.steps) {
    for (const sim::TraceAccess& access : step.accesses) {
      if (access.kind == sim::TraceKind::load && access.space == sim::TraceSpace::global &&
          access.places.front() == total->begin)
        loaded = access.values.front();
    }
  }
  EXPECT_EQ(loaded, 2u);
}

std::vector<std::string> labs() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(fs::path(GRIDSTRIDE_SOURCE_DIR) / "labs")) {
    if (fs::exists(entry.path() / "lab.toml")) names.push_back(entry.path().filename().string());
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Labs, TraceTest, testing::ValuesIn(labs()), [](const auto& lab) {
  std::string name = lab.param;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

}  // namespace
}  // namespace gridstride
