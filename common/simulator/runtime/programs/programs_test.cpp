// Runs whole CUDA programs on the simulated GPU: exit status, output, findings, reports.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/simulator/device/control.h"
#include "common/simulator/runtime/programs/program_test.h"

namespace gridstride::sim {
namespace {

TEST_F(ProgramTest, AKernelThatNeverEndsIsStopped) {
  const Outcome known = run("endless");
  EXPECT_EQ(known.status, 0) << known.out;
  expect_contains(known.err, "endless.cu:");
  expect_contains(known.err, "The loop never ends");
  const Outcome outcome =
      run("endless", {{"GRIDSTRIDE_SIM_TIME_LIMIT", "1e-4"}, {"ASK_THE_CLOCK", "1"}});
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  expect_contains(outcome.err, "endless.cu");
  expect_contains(outcome.err, "at least 0.0001 s of modelled time");
  expect_contains(outcome.err, "does it ever end?");
  expect_contains(outcome.err, "--time-limit SECONDS");
  const Outcome wrong = run("endless", {{"GRIDSTRIDE_SIM_TIME_LIMIT", "-1"}});
  expect_contains(wrong.err, "GRIDSTRIDE_SIM_TIME_LIMIT is not a number of seconds: -1");
}

class RightPrograms : public ProgramTest, public testing::WithParamInterface<const char*> {};

TEST_P(RightPrograms, RunWithoutAWord) {
  const Outcome outcome = run(GetParam());
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.out, "right\n");
  EXPECT_EQ(outcome.err, "");
}

INSTANTIATE_TEST_SUITE_P(Programs, RightPrograms,
                         testing::Values("vector_add", "transpose", "matrix_multiply",
                                         "dot_product", "separate", "separate_both",
                                         "vector_add_none", "vector_add_speed", "vector_add_size",
                                         "vector_add_balance", "textures", "surfaces",
                                         "managed_memory", "pinned_memory", "per_thread_streams",
                                         "matrix_cores", "wide_tiles", "wide_tiles_80",
                                         "wide_tiles_90"),
                         [](const auto& test) { return std::string(test.param); });

class RightProgramsWithErrors : public ProgramTest,
                                public testing::WithParamInterface<const char*> {};

TEST_P(RightProgramsWithErrors, GetTheErrorsThatTheyProvoke) {
  const Outcome outcome = run(GetParam());
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.out, "right\n");
  expect_contains(outcome.err, "gridstride: ");
}

INSTANTIATE_TEST_SUITE_P(Programs, RightProgramsWithErrors,
                         testing::Values("streams_events", "symbols", "queries", "launch_errors",
                                         "array_copies", "graphs", "stream_capture", "graph_memory",
                                         "memory_pools", "launch_attributes", "bad_arguments",
                                         "sticky_errors", "exceptions", "registers",
                                         "registers_compiled"),
                         [](const auto& test) { return std::string(test.param); });

TEST_F(ProgramTest, ALimitThatIsNotThereOrTooLargeIsNamed) {
  const Outcome outcome = run("bad_arguments");
  expect_contains(outcome.err,
                  "cudaDeviceSetLimit: cudaLimitMallocHeapSize cannot be 1152921504606846976: "
                  "1152921504606846976 bytes do not fit");
  expect_contains(outcome.err,
                  "cudaDeviceSetLimit: cudaLimitPrintfFifoSize cannot be 1152921504606846976: "
                  "the simulated GPU has at most 33554432 bytes for what is printed");
  expect_contains(
      outcome.err,
      "cudaDeviceSetLimit: cudaLimitStackSize cannot be 523713: the stack of a thread has at "
      "most 523712 bytes");
  expect_contains(outcome.err, "cudaDeviceSetLimit: there is no limit with the number 99");
  expect_contains(outcome.err, "cudaDeviceSetLimit: cudaLimitDevRuntimeSyncDepth is gone");
}

TEST_F(ProgramTest, AnExampleSaysWhichLineFailedAndWhatToDo) {
  const Outcome outcome = run("example_check");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "2 4 6 and 12 bytes\n");
  expect_contains(
      outcome.err,
      "example_check.cu:12: cudaErrorInvalidValue: invalid argument\n"
      "  -> look at the arguments, and at the launch before: a block has 1 to 1024 threads");
}

class RemotePrograms : public ProgramTest, public testing::WithParamInterface<const char*> {};

TEST_P(RemotePrograms, RunOnADeviceProcessAsWell) {
  DeviceProcessOptions options;
  options.program = GRIDSTRIDE_DEVICE_PROGRAM;
  DeviceProcess device(options);
  device.begin_call({});
  const Outcome outcome = run(GetParam(), {}, device.client_fd());
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.out, "right\n");
  const Activity activity = device.end_call().activity;
  EXPECT_FALSE(activity.launches.empty());
  EXPECT_GT(activity.seconds, 0);
}

INSTANTIATE_TEST_SUITE_P(Programs, RemotePrograms,
                         testing::Values("vector_add", "transpose", "matrix_multiply",
                                         "dot_product", "streams_events", "symbols", "queries",
                                         "launch_errors", "separate", "child_launches",
                                         "device_memory", "cooperative_groups", "textures",
                                         "surfaces", "managed_memory", "pinned_memory", "graphs",
                                         "stream_capture", "graph_memory", "memory_pools",
                                         "launch_attributes", "per_thread_streams"),
                         [](const auto& test) { return std::string(test.param); });

TEST_F(ProgramTest, OutOfBoundsIsNamedWithItsLineAndSticks) {
  const Outcome outcome = run("out_of_bounds");
  EXPECT_EQ(outcome.status, 3) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.out, "stuck\n");
  expect_contains(outcome.err, "gridstride: out_of_bounds in past_the_end(int*, int)");
  expect_contains(outcome.err, "out_of_bounds.cu:6");
  expect_contains(outcome.err, "the 400-byte allocation (the 1st cudaMalloc, in main())");
}

TEST_F(ProgramTest, WhatIsFreedTwiceOrNeverIsNamedWithTheCallThatMadeIt) {
  const fs::path file = folder_ / "report.json";
  const Outcome outcome = run("host_mistakes", {{"GRIDSTRIDE_SIM_REPORT", file.string()}});
  EXPECT_EQ(outcome.out, "done\n");
  expect_contains(
      outcome.err,
      "the 400-byte allocation (the 1st cudaMalloc, in line 7 of host_mistakes.cu), has "
      "been freed already and is freed again in line 10 of host_mistakes.cu");
  expect_contains(outcome.err,
                  "never given back with cudaFree: the 800-byte allocation (the 2nd cudaMalloc, in "
                  "line 8 of host_mistakes.cu)");
  const auto report = nlohmann::json::parse(content(file));
  ASSERT_EQ(report["findings"].size(), 1u);
  EXPECT_EQ(report["findings"][0]["kind"], "double_free");
  const Outcome unchecked = run("host_mistakes", {{"GRIDSTRIDE_SIM_REPORT", file.string()},
                                                  {"GRIDSTRIDE_SIM_CHECK", "races"}});
  EXPECT_EQ(unchecked.err.find("never given back"), std::string::npos) << unchecked.err;
  EXPECT_TRUE(nlohmann::json::parse(content(file))["findings"].empty());
}

TEST_F(ProgramTest, WhatIsNotCheckedForRacesIsNotedOnce) {
  const fs::path file = folder_ / "report.json";
  const Outcome outcome = run("unchecked_races", {{"GRIDSTRIDE_SIM_REPORT", file.string()}});
  EXPECT_EQ(outcome.out, "0\n");
  const std::string note =
      " bytes of the 8388608-byte allocation (the 1st cudaMalloc, in main()) no "
      "races between accesses of touch(unsigned char*) were looked for";
  const std::size_t first = outcome.err.find(note);
  EXPECT_NE(first, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find(note, first + 1), std::string::npos) << outcome.err;
  const auto report = nlohmann::json::parse(content(file));
  EXPECT_EQ(report["notes"].size(), 1u);
  EXPECT_TRUE(report["findings"].empty());
}

TEST_F(ProgramTest, EveryCallOfInlinedCodeIsNamedUnlessThereAreMany) {
  const Outcome outcome = run("inlined_calls");
  EXPECT_EQ(outcome.out, "done\n");
  expect_contains(outcome.err, "a_few_calls(int const*, int*) at inlined_calls.cu:6");
  expect_contains(outcome.err,
                  "(Line 6 calls inlined code: line 15 of inlined_calls.h, which calls line 12 of "
                  "inlined_calls.h, which calls line 9 of inlined_calls.h, which calls line 6 of "
                  "inlined_calls.h, which calls line 4 of inlined_calls.h, and is called in line "
                  "10, which is called in line 14.)");
  expect_contains(outcome.err,
                  "(Line 18 calls inlined code: line 21 of inlined_calls.h, which calls line 21 of "
                  "inlined_calls.h, which calls, by way of 17 more calls, line 21 of "
                  "inlined_calls.h, which calls line 23 of inlined_calls.h.)");
}

TEST_F(ProgramTest, NullPointerIsNamedWithItsLine) {
  const Outcome outcome = run("null_pointer");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "cudaDeviceSynchronize(): 700 cudaErrorIllegalAddress\n");
  expect_contains(outcome.err, "null_pointer.cu:4");
}

TEST_F(ProgramTest, WhatAFailedAllocationLeavesIsANullPointer) {
  const Outcome outcome = run("failed_allocation");
  EXPECT_EQ(outcome.out, "700\n");
  expect_contains(outcome.err, "cudaMalloc: 1099511627776 bytes do not fit");
  expect_contains(outcome.err, "out_of_bounds in fill(int*) at failed_allocation.cu:5");
  expect_contains(outcome.err, "a null pointer.");
}

TEST_F(ProgramTest, HostPointerIsNamed) {
  const Outcome outcome = run("host_pointer");
  EXPECT_EQ(outcome.status, 1);
  expect_contains(outcome.err, "host_pointer in read(int const*, int*)");
}

TEST_F(ProgramTest, MemoryThatIsBackInItsPoolIsNotUsed) {
  const Outcome outcome = run("freed_too_early");
  EXPECT_EQ(outcome.out, "700\n");
  expect_contains(outcome.err, "use_after_free in add(int*) at freed_too_early.cu:4");
}

TEST_F(ProgramTest, KernelsOfAGraphAreLaunchesWithTheirNames) {
  const nlohmann::json report = run_for_report("stream_capture");
  std::size_t launches = 0;
  for (const auto& launch : report.at("launches")) {
    launches += launch.at("kernel") == "add(int*, int)" ? 1 : 0;
    EXPECT_GT(launch.at("seconds").get<double>(), 0);
  }
  EXPECT_EQ(launches, 5u * 2 + 3 + 2 + 1);
}

TEST_F(ProgramTest, TextureMistakesAreNamedWithTheirLines) {
  const std::map<std::string, std::vector<std::string>> expected = {
      {"surface",
       {"out_of_bounds in write_columns", "texture_mistakes.cu:5",
        "Thread (8, 0, 0) of block (0, 0, 0) writes a surface at byte 32 of row 2",
        "8 x 4 x 1 texels of 4 bytes"}},
      {"destroyed", {"use_after_free in read", "texture_mistakes.cu:9", "has been destroyed"}},
      {"freed", {"use_after_free in read", "whose array has been freed"}},
      {"none", {"out_of_bounds in read", "uses 0 as a texture object"}}};
  for (const auto& [mistake, parts] : expected) {
    const Outcome outcome = run("texture_mistakes", {{"MISTAKE", mistake}});
    EXPECT_EQ(outcome.out, "cudaDeviceSynchronize(): 700 cudaErrorIllegalAddress\n") << mistake;
    for (const std::string& part : parts) expect_contains(outcome.err, part);
  }
}

TEST_F(ProgramTest, MistakesWithManagedMemoryAreNamed) {
#ifdef __x86_64__
  const char* host_read = "the host reads from";
#else  // the processor is not asked (page_faults.cpp)
  const char* host_read = "the host touches";
#endif
  const std::map<std::string, std::vector<std::string>> expected = {
      {"past the end", {"out_of_bounds in read", "the 1st cudaMallocManaged"}},
      {"unwritten", {"uninitialized", "the 1st cudaMallocManaged"}},
      {"unwritten and copied",
       {"uninitialized_read in copy", "the 1st cudaMallocManaged", "and stores it in element 0"}},
      {"freed", {"use_after_free in read", "the 1st cudaMallocManaged"}},
      {"host on device", {host_read, "cudaMallocManaged"}}};
  for (const auto& [mistake, parts] : expected) {
    const Outcome outcome = run("managed_mistakes", {{"MISTAKE", mistake}});
    for (const std::string& part : parts) expect_contains(outcome.err, part);
    EXPECT_EQ(outcome.status == -SIGSEGV, mistake == "host on device") << outcome.status;
  }
}

TEST_F(ProgramTest, RaceIsNamedAndTheProgramGoesOn) {
  const Outcome outcome = run("race");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.out, "done\n");
  expect_contains(outcome.err, "gridstride: shared_race in reverse(int*)");
  expect_contains(outcome.err, "race.cu:");
  expect_contains(outcome.err, "reads it in line 7");
}

TEST_F(ProgramTest, DevicePrintsAndAsserts) {
  const Outcome outcome = run("device_printf");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  // 40 calls of 25 bytes fit into 1024.
  std::string expected = "thread 0 says 7, 1.50, hello\nthread 1 says 7, 1.50, hello\n";
  expected +=
      "(the device's buffer for printf, 1024 bytes, was too small: the first 24 calls have been "
      "overwritten; cudaLimitPrintfFifoSize)\n";
  for (int i = 24; i < 64; ++i) expected += "count " + std::to_string(i) + '\n';
  EXPECT_EQ(outcome.out, expected + "asserted\n");
  expect_contains(outcome.err, "value == 4");
}

TEST_F(ProgramTest, ProgramWithoutPtxIsToldTheRepair) {
  const Outcome outcome = run("vector_add_no_ptx");
  EXPECT_EQ(outcome.status, 1);
  expect_contains(outcome.out, "209 cudaErrorNoKernelImageForDevice");
  expect_contains(outcome.err, "PTX");
}

TEST_F(ProgramTest, UnsupportedCallsAreNamedOnce) {
  const Outcome outcome = run("unsupported");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "refused\n");
  EXPECT_EQ(outcome.err,
            "gridstride: cudaMallocMipmappedArray is not supported by the simulated GPU\n"
            "gridstride: cudaIpcGetMemHandle is not supported by the simulated GPU\n");
}

TEST_F(ProgramTest, ReportIsWrittenWhateverTheExitStatus) {
  const auto right = run_for_report("vector_add");
  ASSERT_EQ(right["launches"].size(), 1u);
  EXPECT_EQ(right["launches"][0]["kernel"], "add(float const*, float const*, float*, int)");
  EXPECT_GT(right["launches"][0]["seconds"], 2e-6);
  EXPECT_NEAR(right["counters"]["load_sectors_per_request"].get<double>(), 4, 0.01);
  EXPECT_FALSE(right["launches"][0]["lines"].empty());
  EXPECT_EQ(right["kernels"][0]["limiter"], right["launches"][0]["limiter"]);
  const auto wrong = run_for_report("out_of_bounds");
  EXPECT_EQ(wrong["error"], 700);
  EXPECT_EQ(wrong["launches"][0]["findings"][0]["kind"], "out_of_bounds");
  const auto refused = run_for_report("unsupported");
  EXPECT_EQ(refused["refusals"].size(), 2u);
}

TEST_F(ProgramTest, ABlockWithTooManyRegistersIsNamedWithThem) {
  const Outcome outcome = run("registers_compiled");
  expect_contains(outcome.err, "one block of 1024 threads, ");
  expect_contains(outcome.err, " registers each, and 0 bytes of shared memory does not fit");
}

TEST_F(ProgramTest, AReportSaysWhetherRegistersAreEstimated) {
  EXPECT_EQ(run_for_report("registers")["launches"][0]["registers_estimated"], true);
  EXPECT_EQ(run_for_report("registers_compiled")["launches"][0]["registers_estimated"], false);
}

/// The link, which knows what a kernel calls, has the last word.
TEST_F(ProgramTest, LinkedCodeTellsOfRegistersToo) {
  EXPECT_EQ(run_for_report("separate")["launches"][0]["registers_estimated"], true);
  EXPECT_EQ(run_for_report("separate_both")["launches"][0]["registers_estimated"], false);
}

TEST_F(ProgramTest, ReportsOfTwoRunsAreTheSame) {
  EXPECT_EQ(run_for_report("dot_product").dump(), run_for_report("dot_product").dump());
}

TEST_F(ProgramTest, AScheduleSeedChangesNoRightResult) {
  for (const char* seed : {"1", "2", "3"}) {
    EXPECT_EQ(run("dot_product", {{"GRIDSTRIDE_SIM_SCHEDULE", seed}}).out, "right\n") << seed;
  }
}

TEST_F(ProgramTest, ABrokenSettingIsNamed) {
  const Outcome outcome = run("vector_add", {{"GRIDSTRIDE_SIM_PROFILE", "/nowhere.toml"}});
  EXPECT_EQ(outcome.status, 1);
  expect_contains(outcome.out, "cudaErrorInitializationError");
  expect_contains(outcome.err, "/nowhere.toml");
}

TEST_F(ProgramTest, KernelsLaunchKernelsInAnySchedule) {
  for (const char* schedule : {"0", "1", "7"}) {
    const Outcome outcome = run("child_launches", {{"GRIDSTRIDE_SIM_SCHEDULE", schedule}});
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_EQ(outcome.out, "right\n");
  }
}

TEST_F(ProgramTest, AFindingInAChildNamesItsParent) {
  const Outcome outcome = run("child_out_of_bounds");
  EXPECT_EQ(outcome.out, "700\n");
  EXPECT_NE(outcome.err.find("in child(int*, int) at child_out_of_bounds.cu:4"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("launched by thread (3, 0, 0) of block (0, 0, 0) of parent(int*, int) "
                             "in line 7."),
            std::string::npos)
      << outcome.err;
}

TEST_F(ProgramTest, ChildrenAreLaunchesOfTheirOwn) {
  const nlohmann::json report = run_for_report("child_launches");
  double nested = 0;
  for (const auto& launch : report.at("launches")) {
    if (launch.at("kernel") != "nest(int, int)" || launch.contains("parent")) continue;
    nested = std::max(nested, launch.at("seconds_with_children").get<double>());
    EXPECT_LT(launch.at("seconds").get<double>(), 20e-6);
  }
  // 60 levels; an H200 takes 10.3 us for each.
  EXPECT_GT(nested, 550e-6);
  EXPECT_LT(nested, 750e-6);
}

TEST_F(ProgramTest, KernelsTakeMemory) {
  const Outcome outcome = run("device_memory");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
}

TEST_F(ProgramTest, ThreadsThatWaitForEachOtherGetOnInAnySchedule) {
  for (const char* program : {"cooperative_groups", "waiting_threads"}) {
    for (const char* schedule : {"0", "1", "7"}) {
      const Outcome outcome = run(program, {{"GRIDSTRIDE_SIM_SCHEDULE", schedule}});
      EXPECT_EQ(outcome.status, 0) << program << outcome.out << outcome.err;
    }
  }
}

TEST_F(ProgramTest, AsynchronousCopiesAreRightInAnySchedule) {
  for (const char* program : {"pipelines_80", "pipelines_90", "barriers_80", "barriers_90"}) {
    for (const char* schedule : {"0", "1", "7"}) {
      const Outcome outcome = run(program, {{"GRIDSTRIDE_SIM_SCHEDULE", schedule}});
      EXPECT_EQ(outcome.out, "right\n") << program;
      EXPECT_EQ(outcome.err, "") << program;
    }
  }
}

TEST_F(ProgramTest, ALockThatIsNeverReleasedIsNamed) {
  const Outcome outcome = run("lock_never_released");
  EXPECT_EQ(outcome.out, "702\n");
  expect_contains(outcome.err, "The kernel hangs");
  expect_contains(outcome.err, "lock_never_released.cu:7");
  expect_contains(outcome.err, "In block (0, 0, 0) stand threads 1 to 63 in line 7");
}

}  // namespace
}  // namespace gridstride::sim
