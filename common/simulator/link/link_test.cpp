// Both ends of a link, with a pipe in ssh's place: a device process behind it is as one without it.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "common/simulator/base/device_error.h"
#include "common/simulator/device/control.h"
#include "common/simulator/device/remote_device.h"
#include "common/simulator/link/frames.h"
#include "common/simulator/link/host.h"
#include "common/unique_fd.h"

namespace gridstride::sim {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

DeviceProcessOptions here() {
  DeviceProcessOptions made;
  made.program = GRIDSTRIDE_DEVICE_PROGRAM;
  return made;
}

DeviceProcessOptions linked() {
  DeviceProcessOptions made = here();
  made.host = "elsewhere";
  made.launcher = {GRIDSTRIDE_LINK_PROGRAM, "near", "2", GRIDSTRIDE_LINK_PROGRAM, "far"};
  return made;
}

/// Processes that `parent` started, by the names of their programs.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream stat(entry.path() / "stat");
    std::string text;
    std::getline(stat, text);
    std::istringstream rest(text.substr(std::min(text.size(), text.rfind(')') + 1)));
    std::string state;
    pid_t its_parent = 0;
    if (rest >> state >> its_parent && its_parent == parent) children.push_back(std::stoi(name));
  }
  return children;
}

bool within_seconds(const std::function<bool()>& condition) {
  for (int i = 0; i < 500; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

/// A process that has ended and that nobody has asked how counts as gone.
bool is_gone(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  return text.empty() || text.substr(text.rfind(')') + 2, 1) == "Z";
}

CallRegion contents(std::uint64_t at, std::uint64_t bytes) {
  CallRegion region;
  region.bytes = bytes;
  region.contents = at;
  region.constant = true;
  return region;
}

CallRegion result(std::uint64_t at, std::uint64_t bytes) {
  CallRegion region;
  region.bytes = bytes;
  region.result = at;
  return region;
}

TEST(Link, PassesOnWhatClientAndJudgeAsk) {
  std::vector<double> seconds;
  for (const DeviceProcessOptions& options : {here(), linked()}) {
    DeviceProcess process(options);
    EXPECT_EQ(process.properties().multiprocessors, 4u);
    RemoteDevice device(UniqueFd(dup(process.client_fd())));
    process.close_client();
    const DeviceAddress address = device.allocate(1 << 20);
    process.begin_call({});
    device.fill(address, 0, 1, 1 << 20, 0);
    device.copy(address, address + 64, 64, 0);
    std::vector<std::byte> read(1 << 20);
    device.read(read, address, 0);
    const Activity activity = process.end_call().activity;
    EXPECT_EQ(activity.device_to_device_bytes, 64u);
    EXPECT_EQ(activity.device_to_host_bytes, read.size());
    seconds.push_back(activity.seconds);
    EXPECT_THROW(device.release(address + 1), DeviceError);
  }
  EXPECT_EQ(seconds[0], seconds[1]) << "the link takes none of the device's time";
}

/// On the driver for tests, whose GPU is the simulated one.
TEST(Link, PassesOnWhatClientAndJudgeAskOfARealGpu) {
  setenv("LD_LIBRARY_PATH", GRIDSTRIDE_TEST_DRIVER, 1);
  DeviceProcessOptions options = linked();
  options.program = GRIDSTRIDE_GPU_DEVICE_PROGRAM;
  DeviceProcess process(options);
  unsetenv("LD_LIBRARY_PATH");
  EXPECT_TRUE(process.properties().hardware);
  RemoteDevice device(UniqueFd(dup(process.client_fd())));
  process.close_client();
  constexpr std::uint64_t bytes = 1 << 20;
  for (int round = 1; round <= 3; ++round) {
    const auto shared = process.share(2 * bytes);
    std::ranges::fill(shared.first(bytes), static_cast<std::byte>(round));
    const auto addresses = process.begin_call({contents(0, bytes), result(bytes, bytes)});
    std::vector<std::byte> read(64);
    device.copy(addresses.at(1), addresses.at(0), bytes, 0);
    device.read(read, addresses.at(1), 0);
    EXPECT_EQ(read.back(), static_cast<std::byte>(round));
    std::this_thread::sleep_for(50ms);  // which it thinks
    device.fill(addresses.at(1), 7, 1, bytes / 2, 0);
    const CallReport report = process.end_call();
    EXPECT_EQ(report.activity.device_to_host_bytes, read.size());
    EXPECT_GE(report.activity.seconds, 0.050);
    EXPECT_LT(report.activity.seconds, 0.500);
    EXPECT_EQ(shared[bytes], std::byte{7});
    EXPECT_EQ(shared.back(), static_cast<std::byte>(round));
  }
}

TEST(Link, BringsInputsAndResults) {
  DeviceProcess process(linked());
  RemoteDevice device(UniqueFd(dup(process.client_fd())));
  for (const std::uint64_t bytes : {std::uint64_t{100}, std::uint64_t{20} << 20}) {
    for (int round = 1; round <= 3; ++round) {
      const auto shared = process.share(2 * bytes);
      std::ranges::fill(shared.first(bytes), std::byte{9});
      shared[bytes / 2] = static_cast<std::byte>(round);
      const auto addresses = process.begin_call({contents(0, bytes), result(bytes, bytes)});
      device.copy(addresses.at(1), addresses.at(0), bytes, 0);
      EXPECT_FALSE(process.end_call().regions.at(0).changed);
      EXPECT_TRUE(std::ranges::equal(shared.first(bytes), shared.subspan(bytes)));
      EXPECT_EQ(shared[bytes + bytes / 2], static_cast<std::byte>(round));
    }
  }
}

TEST(Link, KnowsWhereResultsHaveReplacedInputs) {
  constexpr std::uint64_t bytes = 1 << 20;
  DeviceProcess process(linked());
  RemoteDevice device(UniqueFd(dup(process.client_fd())));
  const auto shared = process.share(2 * bytes);
  const auto copied = [&](std::uint64_t from, std::uint64_t to) {
    const auto addresses = process.begin_call({contents(from, bytes), result(to, bytes)});
    device.copy(addresses.at(1), addresses.at(0), bytes, 0);
    process.end_call();
  };
  std::ranges::fill(shared.first(bytes), std::byte{1});
  copied(0, bytes);
  std::ranges::fill(shared.subspan(bytes), std::byte{2});
  copied(bytes, 0);  // where the first call had its input
  std::ranges::fill(shared.first(bytes), std::byte{1});
  copied(0, bytes);
  EXPECT_TRUE(std::ranges::all_of(shared, [](std::byte byte) { return byte == std::byte{1}; }));
}

TEST(Link, RefusesWhatTheDeviceRefuses) {
  DeviceProcess process(linked());
  CallRegion region;
  region.bytes = std::uint64_t{1} << 50;
  EXPECT_THROW(process.begin_call({region}), DeviceProcessRefused);
  EXPECT_EQ(process.end_call().activity.error, 0);
}

TEST(Link, OutlivesAClientThatSendsAnything) {
  DeviceProcess process(linked());
  const UniqueFd client(dup(process.client_fd()));
  process.close_client();
  const std::string noise(100, '\xee');
  ASSERT_EQ(::write(client.get(), noise.data(), noise.size()), 100);
  char none = 0;
  EXPECT_LE(::read(client.get(), &none, 1), 0) << "it is closed";
  EXPECT_EQ(process.end_call().activity.error, 0);
}

TEST(Link, ThatIsLostIsNotTheDevicesEnd) {
  DeviceProcess process(linked());
  const std::vector<pid_t> far = children_of(process.pid());
  ASSERT_EQ(far.size(), 1u);
  const std::vector<pid_t> device = children_of(far[0]);
  ASSERT_EQ(device.size(), 1u);
  ::kill(far[0], SIGKILL);
  try {
    process.end_call();
    FAIL() << "answered without a link";
  } catch (const DeviceLinkLost& error) {
    EXPECT_NE(std::string(error.what()).find("The connection to elsewhere was lost"),
              std::string::npos)
        << error.what();
  }
  EXPECT_THROW(process.begin_call({}), DeviceLinkLost) << "also later";
  EXPECT_TRUE(within_seconds([&] { return is_gone(device[0]); }));
}

TEST(Link, TellsHowTheDeviceEnded) {
  DeviceProcess process(linked());
  const std::vector<pid_t> far = children_of(process.pid());
  const std::vector<pid_t> device = children_of(far.at(0));
  ::kill(device.at(0), SIGKILL);
  try {
    process.end_call();
    FAIL() << "answered after its death";
  } catch (const DeviceLinkLost&) {
    FAIL() << "the link was there";
  } catch (const DeviceProcessError& error) {
    EXPECT_NE(std::string(error.what()).find("Killed"), std::string::npos) << error.what();
  }
}

TEST(Link, LeavesNothingBehindWhoeverIsKilled) {
  for (const bool by_the_judge : {true, false}) {
    std::vector<pid_t> all;
    {
      DeviceProcess process(linked());
      all.push_back(process.pid());
      while (all.size() < 3) all.push_back(children_of(all.back()).at(0));
      if (!by_the_judge) ::kill(process.pid(), SIGKILL);
    }
    for (const pid_t pid : all) EXPECT_TRUE(within_seconds([&] { return is_gone(pid); })) << pid;
  }
}

TEST(Link, ThatCannotBeMadeIsTriedAgain) {
  DeviceProcessOptions none = linked();
  none.launcher = {GRIDSTRIDE_LINK_PROGRAM, "near", "1", "false"};
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(DeviceProcess process(none), DeviceLinkLost);
  EXPECT_GT(std::chrono::steady_clock::now() - begin, 1900ms);
}

TEST(LinkHost, TakesNoOptionForAName) {
  for (const char* name : {"gpu1", "ada@gpu1.example.org", "gpu-1", "::1"})
    EXPECT_TRUE(link::is_host_name(name)) << name;
  for (const char* name : {"", "-oProxyCommand=x", "a b", "a;b", "$(a)", "a'b", "a\nb", "a,b"})
    EXPECT_FALSE(link::is_host_name(name)) << name;
}

TEST(LinkHost, ADevicesNameSaysHostAndKind) {
  EXPECT_EQ(link::host_in("ssh:gpu1"), "gpu1");
  EXPECT_EQ(link::host_in("ssh:ada@gpu1,sim"), "ada@gpu1");
  EXPECT_EQ(link::host_in("sim"), "");
  EXPECT_EQ(link::kind_in("ssh:gpu1"), "auto");
  EXPECT_EQ(link::kind_in("ssh:gpu1,gpu"), "gpu");
  EXPECT_EQ(link::kind_in("sim"), "sim");
  EXPECT_EQ(link::simulated("ssh:gpu1,gpu"), "ssh:gpu1,sim");
  EXPECT_EQ(link::simulated("auto"), "sim");
  for (const char* device : {"gpu", "sim", "ssh:gpu1", "ssh:gpu1,gpu", "ssh:gpu1,sim"})
    EXPECT_EQ(link::wrong_device(device, {"gpu", "sim"}), "") << device;
  for (const char* device : {"", "cpu", "ssh:", "ssh:gpu1,", "ssh:gpu1,cpu", "ssh:,sim"})
    EXPECT_NE(link::wrong_device(device, {"gpu", "sim"}), "") << device;
  EXPECT_NE(link::wrong_device("ssh:gpu1,gpu", {"sim"}), "") << "only the simulated one";
}

}  // namespace
}  // namespace gridstride::sim
