// The judge's end: a real device process, its answers, its death and its silence.
#include "common/simulator/device/control.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "common/files.h"
#include "common/simulator/device/remote_device.h"

namespace gridstride::sim {
namespace {

using namespace std::chrono_literals;

DeviceProcessOptions options() {
  DeviceProcessOptions made;
  made.program = GRIDSTRIDE_DEVICE_PROGRAM;
  return made;
}

TEST(DeviceProcess, GivesTheRunnerADeviceAndTheJudgeItsActivity) {
  DeviceProcess process(options());
  EXPECT_EQ(process.properties().multiprocessors, 4u);
  RemoteDevice device(UniqueFd(dup(process.client_fd())));
  process.close_client();
  EXPECT_EQ(process.client_fd(), -1);
  const DeviceAddress address = device.allocate(1 << 20);
  process.begin_call({});
  device.fill(address, 0, 1, 1 << 20, 0);
  device.copy(address, address + 64, 64, 0);
  const Activity activity = process.end_call().activity;
  EXPECT_EQ(activity.device_to_device_bytes, 64u);
  EXPECT_GT(activity.seconds, 4e-6);
  process.begin_call({});
  EXPECT_EQ(process.end_call().activity.device_to_device_bytes, 0u);
  EXPECT_EQ(process.end_call().activity.seconds, 0);
}

TEST(DeviceProcess, GetsInputsAndGivesOutputsThroughSharedMemory) {
  DeviceProcess process(options());
  RemoteDevice device(UniqueFd(dup(process.client_fd())));
  for (const std::uint64_t bytes : {std::uint64_t{100}, std::uint64_t{3} << 20}) {
    CallRegion in, out;
    in.bytes = out.bytes = bytes;
    in.contents = 0;
    in.constant = true;
    out.result = bytes;
    const auto shared = process.share(2 * bytes);
    std::ranges::fill(shared.first(bytes), std::byte{5});
    const auto addresses = process.begin_call({in, out});
    device.copy(addresses.at(1), addresses.at(0), bytes, 0);
    const CallReport report = process.end_call();
    EXPECT_FALSE(report.regions.at(0).changed);
    EXPECT_TRUE(std::ranges::all_of(shared, [](std::byte byte) { return byte == std::byte{5}; }));
  }
}

TEST(DeviceProcess, SaysWhyACallCannotBegin) {
  DeviceProcess process(options());
  CallRegion region;
  region.bytes = std::uint64_t{1} << 50;
  try {
    process.begin_call({region});
    FAIL() << "so much memory";
  } catch (const DeviceProcessRefused& error) {
    EXPECT_EQ(error.code(), 2);
    EXPECT_NE(std::string(error.what()).find("do not fit"), std::string::npos) << error.what();
  }
}

/// The runner has the client's socket alone, so neither the inputs nor the clock.
TEST(DeviceProcess, GivesTheRunnerNothingElse) {
  DeviceProcess process(options());
  process.share(100);
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int fd = std::stoi(entry.path().filename());
    std::error_code gone;
    const std::string what = std::filesystem::read_symlink(entry.path(), gone);
    if (what.find("memfd:gridstride") == std::string::npos) continue;
    EXPECT_NE(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0) << what;
  }
}

TEST(DeviceProcess, OutlivesItsClient) {
  DeviceProcess process(options());
  { RemoteDevice device(UniqueFd(dup(process.client_fd()))); }
  process.close_client();
  EXPECT_EQ(process.end_call().activity.error, 0);
  EXPECT_TRUE(process.alive());
}

TEST(DeviceProcess, SaysThatItWasKilled) {
  DeviceProcess process(options());
  ::kill(process.pid(), SIGKILL);
  try {
    process.end_call();
    FAIL() << "answered after its death";
  } catch (const DeviceProcessError& error) {
    EXPECT_NE(std::string(error.what()).find("Killed"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(process.alive());
  EXPECT_THROW(process.begin_call({}), DeviceProcessError);
}

TEST(DeviceProcess, TimesOutWhenItDoesNotAnswer) {
  DeviceProcessOptions impatient = options();
  impatient.timeout = 2000ms;
  DeviceProcess process(impatient);
  ::kill(process.pid(), SIGSTOP);
  EXPECT_THROW(process.end_call(), DeviceProcessTimeout);
  EXPECT_FALSE(process.alive());
}

TEST(DeviceProcess, ClosesWithTheJudge) {
  pid_t pid = -1;
  {
    DeviceProcess process(options());
    pid = process.pid();
    DeviceProcess moved(std::move(process));
    EXPECT_EQ(moved.pid(), pid);
    EXPECT_TRUE(moved.alive());
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST(DeviceProcess, ReportsAProgramThatIsNotThere) {
  DeviceProcessOptions missing = options();
  missing.program = "/nowhere/gridstride-device";
  EXPECT_THROW(DeviceProcess process(missing), DeviceProcessError);
}

TEST(DeviceProcess, ReportsAProfileThatIsBroken) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "broken.toml";
  std::ofstream(file) << "name = 3\n";
  DeviceProcessOptions broken = options();
  broken.profile = file;
  EXPECT_THROW(DeviceProcess process(broken), DeviceProcessError);
}

}  // namespace
}  // namespace gridstride::sim
