// What programs on the simulated GPU take of memory, and what they bring to the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <sstream>
#include <string>

#include "common/host_memory.h"
#include "common/simulator/runtime/programs/program_test.h"

namespace gridstride::sim {
namespace {

class MemoryUse : public ProgramTest, public testing::WithParamInterface<const char*> {};

TEST_P(MemoryUse, StaysBelowFourTimesWhatIsAllocatedAnd64MiB) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's own shadow counts too";
#endif
  const Outcome outcome = run("memory_use", {{"ACCESS", GetParam()}});
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  // No findings; where the checker has no room for more, it says so.
  std::istringstream lines(outcome.err);
  for (std::string line; std::getline(lines, line);) EXPECT_EQ(line.find("gridstride: note: "), 0u);
  const long allocated = std::stol(outcome.out);  // MiB
  EXPECT_GE(allocated, 32);
  EXPECT_LE(outcome.most_kib / 1024, 4 * allocated + 64);
}

INSTANTIATE_TEST_SUITE_P(Programs, MemoryUse,
                         testing::Values("add", "smooth", "bytes", "scattered"),
                         [](const auto& test) { return std::string(test.param); });

/// Of a machine with more memory than a profile says, a program may use more; what it does not touch
/// is not taken.
TEST_F(ProgramTest, TheDeviceHasTheMemoryThatTheHostCanGive) {
  const Outcome outcome = run("memory_size");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_LT(outcome.most_kib, 1 << 20);
  const std::uint64_t half = host_memory() / 2 >> 30 << 10;
  EXPECT_EQ(outcome.out, std::to_string(std::max<std::uint64_t>(half, 2048)) + " MiB\n");
}

TEST_F(ProgramTest, TheDeviceHasTheMemoryThatIsAskedFor) {
  for (const char* mebibytes : {"64", "65536"}) {
    const Outcome outcome =
        run("memory_size", {{"GRIDSTRIDE_SIM_MEMORY", mebibytes + std::string("000000")}});
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  }
  const Outcome given = run("memory_size", {{"GRIDSTRIDE_SIM_MEMORY", "17179869184"}});
  EXPECT_EQ(given.out, "16384 MiB\n") << given.err;
  for (const char* none : {"0", "4G", "-1", "9999999999999999"}) {
    const Outcome wrong = run("memory_size", {{"GRIDSTRIDE_SIM_MEMORY", none}});
    expect_contains(wrong.err, "GRIDSTRIDE_SIM_MEMORY is not");
  }
}

/// A way for bytes to leave the device, and how many do.
struct Way {
  const char* name;
  std::uint64_t bytes;
};
void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

class DeviceToHost : public ProgramTest, public testing::WithParamInterface<Way> {};

TEST_P(DeviceToHost, IsCountedAndTakesTime) {
  const auto report_of = [this](const char* way) {
    const fs::path file = folder_ / "report.json";
    const Outcome outcome =
        run("device_to_host", {{"WAY", way}, {"GRIDSTRIDE_SIM_REPORT", file.string()}});
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    return nlohmann::json::parse(content(file));
  };
  const auto [name, bytes] = GetParam();
  const auto report = report_of(name), other = report_of("none");
  EXPECT_EQ(other["bytes"]["device_to_host"], 0u);
  EXPECT_EQ(report["bytes"]["device_to_host"], bytes);
  EXPECT_GT(report["seconds"], other["seconds"].get<double>() + 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Programs, DeviceToHost,
                         testing::Values(Way{"memcpy", 400}, Way{"memcpy_async", 400},
                                         Way{"memcpy_2d", 400}, Way{"symbol", 400},
                                         Way{"array", 400}, Way{"memcpy_node", 400},
                                         Way{"mapped", 400}, Way{"registered", 400},
                                         Way{"managed", 400},
                                         // three digits, and 16 bytes for each call
                                         Way{"printed", 1900},
                                         // a word at the loop's begin, and one after each round
                                         Way{"condition", 16},
                                         // the address, by way of managed memory
                                         Way{"heap", 8}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace gridstride::sim
