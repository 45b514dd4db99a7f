// Stages that do anything to get points, or to harm, graded on a real GPU: their verdicts are those
// that the simulated GPU gives, and none is the grader's failure.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "grader/judge/grading_program.h"

namespace gridstride {
namespace {

struct Fixture {
  const char* stage;
  std::vector<Verdict> verdicts;  ///< one of these
  const char* words = "";         ///< of the message
};

const std::vector<Fixture>& fixtures() {
  using enum Verdict;
  static const std::vector<Fixture> all = {
      // Right, and so it has to stay.
      {"1_first", {pass}},
      {"cooperates", {pass}},
      {"launches_from_the_device", {pass}},
      {"long_line_names", {pass}},
      {"touches_many_bytes", {pass}},
      {"two_streams", {pass, slow}},  // events take their time
      // Inputs before the clock, and answers from elsewhere.
      {"speaks_the_protocol", {suspicious}, "bytes of input were copied to the host"},
      {"reads_ahead", {suspicious}, "bytes of input were copied to the host"},
      {"on_the_host", {suspicious}, "no kernel was launched"},
      {"replays", {wrong}, "timed call: "},
      {"skips_half", {wrong}, "timed call: "},
      {"finishes_later", {wrong, suspicious}, "timed call"},
      {"changes_its_input_on_the_device", {wrong}, "changed its input: in[0]"},
      // Said in the runner's name.
      {"returns_early", {wrong, suspicious, crash}},
      {"hides_an_error", {crash}, "cudaErrorIllegalAddress ("},
      {"claims_a_refusal", {crash}, "the process in which the stage runs failed"},
      {"claims_no_gpu", {suspicious}, "an error that this device does not have"},
      {"says_what_graders_say", {crash}, "in its own words: \"gridstride: grader bug"},
      {"says_so_before_an_error", {crash}, "\n  | gridstride: grader bug"},
      // Errors, and what never ends.
      {"far_address", {crash}, "cudaErrorIllegalAddress ("},
      {"illegal_address", {wrong, crash}},
      {"past_the_end", {wrong}, "outside out"},
      {"own_memory", {crash}, "own_memory.cu:6"},
      {"wrong_configuration", {crash}, "cudaErrorInvalid"},
      {"empty_grid_where_small", {crash}, "cudaErrorInvalid"},
      {"prints", {wrong}, "\n  | thread 0 has 1"},
      {"prints_much", {wrong, crash}, "There is more: "},
      {"asserts", {crash}, ": the assertion `in[0] * n < 1` fails"},
      {"unknown_instruction", {crash, unsupported}, "n=0: "},
      {"traps_before_the_call", {crash}, "cudaErrorLaunchFailure"},
      {"traps_out_of_order", {crash}, "cudaErrorLaunchFailure"},
      {"attacks_the_device", {crash, wrong, suspicious}},
      {"endless_kernel", {timeout}, "no answer within"},
      {"never_launches", {timeout}, "no answer within"},
      {"endless_launches", {timeout}, "no answer within"},
      {"sleeps_each_time", {slow, timeout}},
      // More than a stage may have.
      {"fills_the_device", {out_of_memory, wrong, todo}},
      {"hoards_device_memory", {out_of_memory}, "cudaErrorMemoryAllocation ("},
      {"out_of_memory", {out_of_memory}, "cudaErrorMemoryAllocation ("},
      {"hoards_handles", {out_of_memory, timeout}},
      {"hoards_nameless_files", {crash, out_of_memory}},
      {"hoards_segments", {crash, out_of_memory}},
      {"hoards_shared_pages", {out_of_memory}, "MiB of memory"},
      {"floods_with_printf", {timeout, out_of_memory}},
      // What is no matter of the device.
      {"forbidden", {wrong}, "<cub/version.cuh> is not allowed"},
      {"strided_stores", {over_limit}, "strided_stores.cu:7"},
      {"todo", {todo}, " still has \"TODO"},
      {"half_written", {wrong}, "half_written.cu:8 still has \"TODO(1)"},
  };
  return all;
}

class GraderOnGpu : public Grader, public testing::WithParamInterface<Fixture> {};

TEST_P(GraderOnGpu, GivesItsVerdict) {
  if (!fs::exists("/dev/nvidiactl")) GTEST_SKIP() << "needs a GPU";
  device_ = "gpu";
  const Fixture& fixture = GetParam();
  const StageResult result = grade(fixture.stage);
  EXPECT_NE(std::ranges::find(fixture.verdicts, result.verdict), fixture.verdicts.end())
      << name_of(result.verdict) << ": " << result.message;
  EXPECT_NE(result.message.find(fixture.words), std::string::npos) << result.message;
  if (result.verdict != Verdict::pass) {
    EXPECT_LT(result.score, result.max_score);
  }
}

INSTANTIATE_TEST_SUITE_P(Stages, GraderOnGpu, testing::ValuesIn(fixtures()),
                         [](const auto& each) { return std::string(each.param.stage); });

/// A stage that nobody lists here would be tried on the simulated GPU alone.
TEST(FixturesOnGpu, AreAllListed) {
  const std::vector<std::string> not_of_a_gpu = {
      "0_baseline",       "2_second",
      "forbidden_unseen",              // no attack, or none that is about the device
      "copies_one_out",   "in_place",  // of another lab: judge_host_test.cpp
      "default_stream",                // what only the simulated device sees
  };
  for (const auto& file : fs::directory_iterator(sources)) {
    if (file.path().extension() != ".cu") continue;
    const std::string stage = file.path().stem();
    const bool elsewhere = std::ranges::find(not_of_a_gpu, stage) != not_of_a_gpu.end();
    const bool listed = std::ranges::any_of(
        fixtures(), [&](const Fixture& fixture) { return fixture.stage == stage; });
    EXPECT_NE(listed, elsewhere) << stage;
  }
}

}  // namespace
}  // namespace gridstride
