// A grader's program from the outside, on the simulated GPU: options, exit codes, files, verdicts.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "common/files.h"
#include "grader/judge/grading_program.h"
#include "grader/report/json.h"
#include "grader/runner/saved_call.h"
#include "grader/sandbox/process_tree.h"
#include "grader/sandbox/sandbox.h"
#include "grader/sandbox/system_calls.h"

namespace gridstride {
namespace {

TEST_F(Grader, PassesWhatIsRight) {
  const ChildOutcome outcome = run({});
  EXPECT_EQ(outcome.exit_code, exit_pass) << outcome.output << outcome.errors;
  const Results all = results();
  EXPECT_EQ(all.device.kind, "sim");
  EXPECT_EQ(all.score, 15);
  EXPECT_EQ(all.max_score, 15);
  const StageResult& first = all.labs.at(0).stages.at(0);
  EXPECT_EQ(first.verdict, Verdict::pass) << first.message;
  ASSERT_TRUE(first.speedup);
  EXPECT_GT(first.speedup->value, 2);
  EXPECT_EQ(first.limits.at(0).counter, "store_sectors_per_request");
  EXPECT_TRUE(first.limits.at(0).met);
  EXPECT_NE(outcome.errors.find("testlab/1_first: pass"), std::string::npos) << outcome.errors;
}

TEST_F(Grader, GivesTheSameResultsInEachRun) {
  run({});
  const std::string once = read_file(json_);
  for (int again = 0; again < 2; ++again) {
    run({});
    EXPECT_EQ(read_file(json_), once);
  }
}

/// The libraries' own lines are for who asks twice, and no build of theirs is warned of.
TEST_F(Grader, ShowsWhatTheLibrariesSayOnlyWhenAskedTwice) {
  const std::string once = run({"-v"}).output, twice = run({"-vv"}).output;
  EXPECT_EQ(once.find("[ RUN"), std::string::npos) << once;
  EXPECT_EQ(once.find("manual_time"), std::string::npos) << once;
  EXPECT_NE(once.find("store_sectors_per_request        4"), std::string::npos) << once;
  EXPECT_EQ(once.find("warp_instructions"), std::string::npos) << once;
  EXPECT_NE(twice.find("[       OK ] 1_first.n=33"), std::string::npos) << twice;
  EXPECT_NE(twice.find("manual_time"), std::string::npos) << twice;
  EXPECT_NE(twice.find("warp_instructions"), std::string::npos) << twice;
  const ChildOutcome all = run({"-vv"});
  EXPECT_EQ((all.output + all.errors).find("DEBUG"), std::string::npos) << all.errors;
  EXPECT_EQ(run({"--no-table"}).output, "");
}

/// Everything a grader says and writes, without the times that GoogleTest and Google Benchmark
/// show.
TEST_F(Grader, GivesTheSameResultsWhateverIsDoneAtOnce) {
  const auto graded = [this](const std::string& file, int jobs) {
    const ChildOutcome outcome =
        run_child(command({"-vv", "--jobs", std::to_string(jobs),
                           "--library=1_first=" + (libraries / (file + ".so")).string(),
                           "--source=1_first=" + (sources / (file + ".cu")).string(),
                           "--source=2_second=" + (sources / "2_second.cu").string()},
                          GRIDSTRIDE_TEST_FOLDER));
    const std::regex times(
        R"( \(\d+ ms( total)?\)|\n(\d{4}-\d\d|Load Average|Run on|CPU Caches).*|\n.*/manual_time.*)");
    return read_file(json_) + std::regex_replace(outcome.errors + outcome.output, times, "");
  };
  for (const char* file : {"1_first", "illegal_address", "traps_out_of_order", "endless_kernel",
                           "empty_grid_where_small"}) {
    const std::string once = graded(file, 1);
    for (const int jobs : {2, 5}) EXPECT_EQ(graded(file, jobs), once) << file << ", " << jobs;
  }
}

TEST_F(Grader, MeetsNewRunnersAfterAnotherOrderEndedThem) {
  const StageResult result = grade("traps_out_of_order");
  EXPECT_EQ(result.verdict, Verdict::crash) << result.message;
  EXPECT_NE(result.message.find("in another order"), std::string::npos) << result.message;
}

TEST_F(Grader, KnowsAnUntouchedSkeleton) {
  expect("todo", Verdict::todo, "todo.cu:1 still has \"TODO");
}

TEST_F(Grader, BeginsWithTheTodoThatIsLeftAndKeepsWarnings) {
  const StageResult result = grade("half_written");
  EXPECT_EQ(result.verdict, Verdict::wrong);
  EXPECT_TRUE(
      result.message.starts_with("half_written.cu:8 still has \"TODO(1): multiply by two\".\n"))
      << result.message;
  ASSERT_EQ(result.remarks.size(), 2u) << "what is said of host and device code is kept once";
  EXPECT_EQ(result.remarks[0].kind, Remark::Kind::todo);
  EXPECT_EQ(result.remarks[0].line, 8);
  EXPECT_EQ(result.remarks[1].kind, Remark::Kind::warning);
  EXPECT_EQ(result.remarks[1].line, 6);
  EXPECT_EQ(result.remarks[1].column, 13);
  EXPECT_NE(result.remarks[1].text.find("\"factor\""), std::string::npos);
  EXPECT_TRUE(grade("1_first").remarks.empty());
}

TEST_F(Grader, NamesTheLineOfAnIllegalAddress) {
  expect("illegal_address", Verdict::crash, "illegal_address.cu:6");
  const std::vector<Remark> remarks = results().labs.at(0).stages.at(0).remarks;
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0].kind, Remark::Kind::finding);
  EXPECT_EQ(remarks[0].file, "illegal_address.cu");
  EXPECT_EQ(remarks[0].line, 6);
}

TEST_F(Grader, GradesKernelsThatLaunchKernels) {
  const StageResult result = grade("launches_from_the_device");
  EXPECT_GT(result.cases.total, 0) << result.message;
  EXPECT_EQ(result.cases.passed, result.cases.total) << result.message;
  EXPECT_GT(result.counters.at("global_load_requests"), 0) << result.message;
}

TEST_F(Grader, EndsEndlessKernels) {
  expect("endless_kernel", Verdict::timeout, "endless_kernel.cu:");
}

TEST_F(Grader, EndsKernelsThatLaunchKernelsWithoutEnd) {
  expect("endless_launches", Verdict::timeout, "launch_again");
}

TEST_F(Grader, SaysWhoMadeAnAllocation) {
  expect("past_the_end", Verdict::crash, "cudaMalloc, by the grader for the argument ");
  expect("own_memory", Verdict::crash, "cudaMalloc, in twice(float const*, float*, long, ");
}

TEST_F(Grader, SaysWhichMemoryWasNotCheckedForRacesAndPassesTheStage) {
  for (const char* words :
       {"Note: In ", " bytes of the 8388608-byte allocation (", ", in twice(float const*, float*, ",
        " no races between accesses of touch(unsigned char*) were looked for"}) {
    expect("touches_many_bytes", Verdict::pass, words);
  }
  expect("1_first", Verdict::pass, "");
  EXPECT_EQ(results().labs.at(0).stages.at(0).message.find("Note: "), std::string::npos);
}

TEST_F(Grader, SeesWorkThatIsNotOrderedWithTheGivenStream) {
  expect("default_stream", Verdict::wrong, "A memset runs in the default stream");
  const StageResult result = grade("two_streams");
  EXPECT_GT(result.cases.total, 0) << result.message;
  EXPECT_EQ(result.cases.passed, result.cases.total) << result.message;
}

TEST_F(Grader, SeesLaunchesThatFail) {
  expect("wrong_configuration", Verdict::crash, "cudaErrorInvalid");
}

TEST_F(Grader, TellsOutOfMemory) {
  expect("out_of_memory", Verdict::out_of_memory, "cudaErrorMemoryAllocation");
}

TEST_F(Grader, EndsHoardsOfMemoryThatBelongsToNoProcess) {
  expect("hoards_shared_pages", Verdict::out_of_memory, "2048 MiB of memory");
  if (!why_no_system_call_filter().empty()) GTEST_SKIP() << why_no_system_call_filter();
  expect("hoards_nameless_files", Verdict::crash, "no file without a name");
  expect("hoards_segments", Verdict::crash, "no segment");
}

TEST_F(Grader, HoldsTheDeviceToItsMemory) {
  expect("hoards_device_memory", Verdict::out_of_memory, "cudaErrorMemoryAllocation");
}

TEST_F(Grader, EndsFloodsOfPrintf) { expect("floods_with_printf", Verdict::timeout, ""); }

/// The device process ends them, or the budget of time: both are the student's.
TEST_F(Grader, EndsHoardsOfStreamsAndEvents) {
  const StageResult result = grade("hoards_handles");
  EXPECT_TRUE(result.verdict == Verdict::out_of_memory || result.verdict == Verdict::timeout)
      << name_of(result.verdict) << ": " << result.message;
}

TEST_F(Grader, SeesWorkOnTheHost) {
  expect("on_the_host", Verdict::suspicious, "no kernel was launched");
}

TEST_F(Grader, ChecksLimitsAndNamesTheLine) {
  expect("strided_stores", Verdict::over_limit, "strided_stores.cu:7");
  expect("strided_stores", Verdict::over_limit, "store_sectors_per_request is");
}

TEST_F(Grader, SaysWhyItIsSlow) {
  expect("strided_stores", Verdict::over_limit, "strided_stores.cu:7: neighbouring threads write");
}

TEST_F(Grader, RecordsACallForAnExplanation) {
  const auto recorded = [this](const std::string& file) {
    run_child(command({"1_first", "--explain", json_.string(),
                       "--library=1_first=" + (libraries / (file + ".so")).string(),
                       "--source=1_first=" + (sources / (file + ".cu")).string()},
                      GRIDSTRIDE_TEST_FOLDER));
    return nlohmann::json::parse(read_file(json_)).at(0);
  };
  const auto right = recorded("strided_stores");
  EXPECT_EQ(right["name"], "1_first");
  EXPECT_EQ(right["verdict"], "pass");
  EXPECT_EQ(right["report"]["kernels"][0]["advice"][0]["line"], 7);
  const auto crashed = recorded("past_the_end");
  EXPECT_EQ(crashed["verdict"], "crash");
  EXPECT_EQ(crashed["report"]["kernels"][0]["findings"][0]["line"], 6) << "what ran is there";
  EXPECT_EQ(recorded("todo")["verdict"], "todo");
  const auto elsewhere = recorded("on_the_host");
  EXPECT_EQ(elsewhere["verdict"], "suspicious");
  EXPECT_TRUE(elsewhere["report"]["kernels"].empty());
}

TEST_F(Grader, SavesTheTimedCall) {
  const TemporaryFolder folder;
  const auto saved = [&](const std::string& size, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"1_first", "--save-calls", folder.path().string(),
                                          "--size",  size,           "--seed=1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    run_child(command(arguments, GRIDSTRIDE_TEST_FOLDER));
    return load_call(folder.path() / "twice.call");
  };
  const SavedCall call = saved("1000"), again = saved("1000"), larger = saved("2000");
  ASSERT_FALSE(call.arguments.empty());
  EXPECT_EQ(call.bytes, again.bytes) << "equal seeds give equal calls";
  EXPECT_LT(call.bytes.size(), larger.bytes.size());
  const auto redrawn = [&](const std::string& times) {
    saved("1000", {"--redraw", times});
    return load_call(folder.path() / "1_first.call");
  };
  const SavedCall once = redrawn("1"), twice = redrawn("2");
  EXPECT_EQ(once.bytes.size(), twice.bytes.size());
  EXPECT_NE(once.bytes, twice.bytes) << "a GPU is timed on other inputs in each call";
}

TEST_F(Grader, RejectsForbiddenHeaders) {
  expect("forbidden", Verdict::wrong, "forbidden.cu, line 2: <cub/version.cuh> is not allowed");
  expect("forbidden_unseen", Verdict::wrong,
         "forbidden_unseen.cu: <cub/version.cuh> is not allowed");
}

TEST_F(Grader, AllowsWhatAllowedHeadersBringAlong) { expect("cooperates", Verdict::pass, ""); }

TEST_F(Grader, WhatTheSimulatedGpuDoesNotKnowIsTheStages) {
  const StageResult result = grade("unknown_instruction");
  EXPECT_STREQ(name_of(result.verdict), "unsupported") << result.message;
  EXPECT_NE(result.message.find("unsupported: frobnicate.sync.aligned.u32 in frobnicate"),
            std::string::npos)
      << result.message;
  EXPECT_NE(result.message.find("line 5 of unknown_instruction.cu"), std::string::npos)
      << result.message;
  EXPECT_EQ(exit_code(results()), exit_short);
}

TEST_F(Grader, NamesOfAnyLengthAreNoMatterForTheGrader) {
  expect("long_line_names", Verdict::pass, "");
}

TEST_F(Grader, MarksWordsOfTheStageAsItsOwn) {
  const StageResult result = grade("says_what_graders_say");
  EXPECT_STREQ(name_of(result.verdict), "crash") << result.message;
  EXPECT_NE(result.message.find("in its own words: \"gridstride: grader bug \\x1b[31m\\n\\nscore"),
            std::string::npos)
      << result.message;
  EXPECT_EQ(result.message.find("\nscore"), std::string::npos) << result.message;
}

TEST_F(Grader, MarksTheOutputOfAStageThatFails) {
  const StageResult result = grade("says_so_before_an_error");
  EXPECT_STREQ(name_of(result.verdict), "crash") << result.message;
  EXPECT_NE(result.message.find("\nThe program's own output:\n  | gridstride: grader bug"),
            std::string::npos)
      << result.message;
  EXPECT_EQ(result.message.find("\ngridstride"), std::string::npos) << result.message;
  EXPECT_EQ(result.message.find("score"), std::string::npos) << result.message;
}

TEST_F(Grader, GradesNoOtherTextThanTheOneThatWasBuilt) {
  write_file(folder_.path() / "1_first.cu", read_file(sources / "1_first.cu") + "\n");
  fs::last_write_time(folder_.path() / "1_first.cu",
                      fs::last_write_time(libraries / "1_first.so") - std::chrono::hours(1));
  const ChildOutcome outcome =
      run_child(command({"1_first", "--source=1_first=" + (folder_.path() / "1_first.cu").string()},
                        GRIDSTRIDE_TEST_FOLDER));
  EXPECT_EQ(outcome.exit_code, exit_infrastructure);
  EXPECT_NE(results().labs.at(0).stages.at(0).message.find("1_first.cu is not what was built"),
            std::string::npos);
}

TEST_F(Grader, GradesWhatIsHandedInWhateverElseIsThere) {
  const fs::path handed_in = folder_.path() / "handed in";
  fs::create_directory(handed_in);
  ASSERT_EQ(::mkfifo((handed_in / "1_first.cu").c_str(), 0600), 0);
  for (const char* name : {"9_a;b.cu", "9_${x}.cu", "9_\x1b[2J.cu", "1_first.old.cu"})
    write_file(handed_in / name, "x");
  ChildOptions options = command({"--handed-in", handed_in.string()}, GRIDSTRIDE_TEST_FOLDER);
  const ChildOutcome outcome = run_child(options);
  EXPECT_EQ(outcome.exit_code, exit_short) << outcome.errors;
  const LabResult lab = results().labs.at(0);
  EXPECT_STREQ(name_of(lab.stages.at(0).verdict), "compile_error");
  EXPECT_EQ(lab.stages.at(0).message,
            "1_first.cu is a FIFO, not a plain file. Put the stage's source there.");
  EXPECT_STREQ(name_of(lab.stages.at(1).verdict), "todo");
  EXPECT_EQ(lab.stages.at(1).message, "Not handed in: there is no file 2_second.cu.");
  EXPECT_EQ(lab.ignored,
            (std::vector<std::string>{"1_first.old.cu", "9_${x}.cu", "9_\\x1b[2J.cu", "9_a;b.cu"}));
  EXPECT_NE(outcome.output.find("Ignored, for lab.toml names no such stage: 1_first.old.cu, "),
            std::string::npos)
      << outcome.output;
}

TEST_F(Grader, EachKindOfFileThatIsNoStageHasItsWords) {
  const fs::path file = folder_.path() / "1_first.cu";
  const auto expect_words = [&](const std::string& words) {
    run_child(command({"1_first", "--source=1_first=" + file.string()}, GRIDSTRIDE_TEST_FOLDER));
    const StageResult result = results().labs.at(0).stages.at(0);
    EXPECT_STREQ(name_of(result.verdict), "compile_error");
    EXPECT_NE(result.message.find(words), std::string::npos) << result.message;
    fs::remove_all(file);
  };
  expect_words("There is no file ");
  fs::create_symlink(sources / "1_first.cu", file);
  expect_words("1_first.cu is a link, not a plain file.");
  fs::create_directory(file);
  expect_words("1_first.cu is a folder, not a plain file.");
  write_file(file, "\r\n");
  expect_words("1_first.cu is empty.");
  write_file(file, std::string((1u << 20) + 1, ' '));
  expect_words("1_first.cu is larger than 1 MiB");
}

TEST_F(Grader, SurvivesAttacksOnTheSimulatedGpu) {
  const StageResult result = grade("attacks_the_device");
  EXPECT_NE(result.verdict, Verdict::pass);
  EXPECT_EQ(result.score, 0) << result.message;
}

/// Inputs come after the clock has started, so what is known of them was paid for.
TEST_F(Grader, GivesNothingForListeningToTheJudge) {
  const StageResult result = grade("speaks_the_protocol");
  EXPECT_EQ(result.verdict, Verdict::suspicious) << result.message;
  EXPECT_EQ(result.score, 0);
  EXPECT_NE(result.message.find("262144 of 262144 bytes of input were copied"), std::string::npos)
      << result.message;
}

TEST_F(Grader, GivesNothingForLookingWhereTheInputWillBe) {
  expect("reads_ahead", Verdict::suspicious, "bytes of input were copied to the host");
  EXPECT_EQ(results().score, 0);
}

TEST_F(Grader, TakesTheOutputsWhenTheCallIsSaidToHaveReturned) {
  const StageResult result = grade("returns_early");
  EXPECT_NE(result.verdict, Verdict::pass) << result.message;
  EXPECT_NE(result.verdict, Verdict::infrastructure) << result.message;
  EXPECT_FALSE(result.speedup);
  EXPECT_LE(result.cases.passed, 1) << "the one without elements";
}

TEST_F(Grader, BlamesTheStageForWhatItsProcessSays) {
  expect("claims_a_refusal", Verdict::crash, "the process in which the stage runs failed");
  EXPECT_EQ(results().score, 0);
  expect("claims_no_gpu", Verdict::suspicious, "an error that this device does not have");
  EXPECT_EQ(results().score, 0);
}

/// A device that the stage's constructors have broken or filled.
TEST_F(Grader, BlamesTheStageForTheDeviceThatItLeavesToTheCall) {
  expect("traps_before_the_call", Verdict::crash, "cudaErrorLaunchFailure");
  expect("fills_the_device", Verdict::out_of_memory, "cudaErrorMemoryAllocation");
}

TEST_F(Grader, TakesTheCompilersWordsFromTheLog) {
  write_file(folder_.path() / "broken.log", "x.cu(3): error: expected a \";\"\n  }\n  ^\n");
  write_file(folder_.path() / "broken.text", read_file(sources / "1_first.cu"));
  run({"1_first", "--library=1_first=" + (folder_.path() / "broken.so").string()});
  const StageResult result = results().labs.at(0).stages.at(0);
  EXPECT_EQ(result.verdict, Verdict::compile_error);
  EXPECT_EQ(result.message,
            "The compiler says:\n  | x.cu(3): error: expected a \";\"\n  |   }\n  |   ^");
}

TEST_F(Grader, DoesNotBlameTheStudentForWhatIsNotBuilt) {
  const ChildOutcome outcome = run({"1_first", "--library=1_first=/no/such.so"});
  EXPECT_EQ(outcome.exit_code, exit_infrastructure);
  EXPECT_EQ(results().labs.at(0).stages.at(0).verdict, Verdict::infrastructure);
}

TEST_F(Grader, ShowsWhyABuildFailedThatWasNotTheStudents) {
  write_file(folder_.path() / "full.log", "x.cu(3): error: of yesterday\n");
  write_file(folder_.path() / "full.infrastructure", "The disk is full. Repair: make room.");
  const ChildOutcome outcome =
      run({"1_first", "--library=1_first=" + (folder_.path() / "full.so").string()});
  EXPECT_EQ(outcome.exit_code, exit_infrastructure);
  const StageResult result = results().labs.at(0).stages.at(0);
  EXPECT_EQ(result.verdict, Verdict::infrastructure);
  EXPECT_EQ(result.message, "The disk is full. Repair: make room.");
}

TEST_F(Grader, ABaselineThatDoesNotBuildCostsNoPoints) {
  for (const char* extension : {"so", "text", "headers"})
    fs::copy_file(libraries / (std::string("1_first.") + extension),
                  folder_.path() / (std::string("1_first.") + extension));
  write_file(folder_.path() / "0_baseline.log", "0_baseline.cu(3): error: it was edited\n");
  ChildOptions options = command(
      {"1_first", "--source=1_first=" + (sources / "1_first.cu").string()}, GRIDSTRIDE_TEST_FOLDER);
  std::ranges::replace(options.command, libraries.string(), folder_.path().string());
  EXPECT_EQ(run_child(options).exit_code, exit_infrastructure);
  const StageResult result = results().labs.at(0).stages.at(0);
  EXPECT_EQ(result.verdict, Verdict::infrastructure);
  EXPECT_NE(result.message.find("it was edited"), std::string::npos) << result.message;
}

TEST_F(Grader, NamesTheNearestStage) {
  const ChildOutcome outcome = run({"1_frist"});
  EXPECT_EQ(outcome.exit_code, exit_usage);
  EXPECT_NE(outcome.errors.find("did you mean '1_first'?"), std::string::npos) << outcome.errors;
  EXPECT_FALSE(fs::exists(json_));
}

TEST_F(Grader, SaysWhereLabTomlIsBroken) {
  write_file(folder_.path() / "lab.toml", "title = \"x\"\nfunction = 3\n");
  const ChildOutcome outcome = run({}, folder_.path());
  EXPECT_EQ(outcome.exit_code, exit_infrastructure);
  EXPECT_NE(outcome.errors.find("lab.toml:2"), std::string::npos) << outcome.errors;
}

TEST_F(Grader, WritesResultsWholeOrNotAtAll) {
  json_ = "/no/such/folder/results.json";
  const ChildOutcome outcome = run({"2_second"});
  EXPECT_EQ(outcome.exit_code, exit_infrastructure);
  EXPECT_NE(outcome.errors.find("cannot write /no/such/folder/results.json"), std::string::npos);
}

TEST_F(Grader, TakesGoogleTestsOptions) {
  const ChildOutcome listing = run({"--gtest_list_tests"});
  EXPECT_EQ(listing.exit_code, exit_pass);
  EXPECT_NE(listing.output.find("1_first.\n  n=0\n"), std::string::npos) << listing.output;
  EXPECT_EQ(listing.output.find("of real use"), std::string::npos) << "this is no GPU";
  const ChildOutcome part = run({"1_first", "--gtest_filter=*n=1"});
  EXPECT_EQ(part.exit_code, exit_short);
  EXPECT_EQ(results().labs.at(0).stages.at(0).verdict, Verdict::inconclusive);
}

TEST_F(Grader, TakesGoogleBenchmarksOptions) {
  const ChildOutcome listing = run({"1_first", "--benchmark_list_tests"});
  EXPECT_NE(listing.output.find("testlab/1_first"), std::string::npos) << listing.output;
  const fs::path out = folder_.path() / "times.json";
  run({"1_first", "--benchmark_out=" + out.string()});
  EXPECT_NE(read_file(out).find("baseline_us"), std::string::npos);
}

/// Ctrl-C: nothing half-written, and nothing goes on.
TEST_F(Grader, LeavesNothingWhenInterrupted) {
  ChildOptions options =
      command({"--jobs=4", "--library=1_first=" + (libraries / "endless_kernel.so").string(),
               "--source=1_first=" + (sources / "endless_kernel.cu").string()},
              GRIDSTRIDE_TEST_FOLDER);
  ChildProcess grader(options);
  const auto find = [](const std::string& mark) {
    std::vector<pid_t> found;
    for (const ProcessInfo& process : descendants(list_processes(), ::getpid())) {
      std::ifstream file("/proc/" + std::to_string(process.id) + "/comm");
      std::string name;
      std::getline(file, name);
      if (name == mark) found.push_back(process.id);
    }
    return found;
  };
  for (int tries = 0; tries < 500 && find("gridstride-runn").empty(); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ASSERT_FALSE(find("gridstride-runn").empty());
  for (const pid_t id : find("grade-testlab")) ::kill(id, SIGINT);
  const ChildOutcome& outcome = grader.wait();
  EXPECT_EQ(outcome.signal, SIGINT) << outcome.describe(options.limits);
  EXPECT_TRUE(find("gridstride-runn").empty());
  EXPECT_TRUE(find("gridstride-devi").empty());
  EXPECT_FALSE(fs::exists(json_));
}

}  // namespace
}  // namespace gridstride
