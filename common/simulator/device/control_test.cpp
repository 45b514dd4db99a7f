// The judge's end: a real device process, its answers, its death and its silence.
#include "common/simulator/device/control.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
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
  process.mark(true);
  device.fill(address, 0, 1, 1 << 20, 0);
  device.copy(address, address + 64, 64, 0);
  const Activity activity = process.activity();
  EXPECT_EQ(activity.device_to_device_bytes, 64u);
  EXPECT_GT(activity.seconds, 4e-6);
  process.mark(false);
  EXPECT_EQ(process.activity().device_to_device_bytes, 0u);
  EXPECT_EQ(process.activity().seconds, 0);
}

TEST(DeviceProcess, OutlivesItsClient) {
  DeviceProcess process(options());
  { RemoteDevice device(UniqueFd(dup(process.client_fd()))); }
  process.close_client();
  EXPECT_EQ(process.activity().error, 0);
  EXPECT_TRUE(process.alive());
}

TEST(DeviceProcess, SaysThatItWasKilled) {
  DeviceProcess process(options());
  ::kill(process.pid(), SIGKILL);
  try {
    process.activity();
    FAIL() << "answered after its death";
  } catch (const DeviceProcessError& error) {
    EXPECT_NE(std::string(error.what()).find("Killed"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(process.alive());
  EXPECT_THROW(process.mark(false), DeviceProcessError);
}

TEST(DeviceProcess, TimesOutWhenItDoesNotAnswer) {
  DeviceProcessOptions impatient = options();
  impatient.timeout = 2000ms;
  DeviceProcess process(impatient);
  ::kill(process.pid(), SIGSTOP);
  EXPECT_THROW(process.activity(), DeviceProcessTimeout);
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
