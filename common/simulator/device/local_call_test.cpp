// Calls that are graded, as the judge begins and ends them: what the device holds before, and what
// it says afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/shared_bytes.h"
#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/error_of.h"
#include "common/simulator/device/local_device.h"

namespace gridstride::sim {
namespace {

constexpr std::uint8_t poison = 0xff, sentinel = 0xa5;

class GradedCall : public testing::Test {
 protected:
  GradedCall() { shared_.grow(4096); }

  /// A region with contents that must not change, of which a run of `values` lies at `at`.
  CallRegion input(std::uint64_t at, const std::vector<std::uint8_t>& values) {
    CallRegion region;
    region.bytes = values.size();
    region.filler = poison;
    region.contents = at;
    region.constant = true;
    std::ranges::transform(values, shared_.view(4096).begin() + static_cast<std::ptrdiff_t>(at),
                           [](std::uint8_t value) { return std::byte{value}; });
    return region;
  }
  static CallRegion output(std::uint64_t at, std::uint64_t bytes) {
    CallRegion region;
    region.bytes = bytes;
    region.filler = sentinel;
    region.result = at;
    return region;
  }
  std::uint8_t shared(std::uint64_t at) {
    return std::to_integer<std::uint8_t>(shared_.view(4096)[at]);
  }
  std::uint8_t on_device(DeviceAddress address) {
    std::array<std::byte, 1> byte{};
    device_.read(byte, address, 0);
    return std::to_integer<std::uint8_t>(byte[0]);
  }
  static LocalDeviceOptions options(SharedBytes* shared) {
    LocalDeviceOptions made;
    made.shared = shared;
    return made;
  }
  SharedBytes shared_ = SharedBytes::create();
  LocalDevice device_{options(&shared_)};
};

TEST_F(GradedCall, BringsTheInputsAndTakesTheOutputs) {
  CallRegion in = input(64, {1, 2, 3, 4});
  in.before = 8, in.after = 16;
  const auto addresses = device_.begin_call({in, output(128, 4), CallRegion{}});
  ASSERT_EQ(addresses.size(), 3u);
  EXPECT_EQ(addresses[2], 0u) << "no bytes, no address";
  for (std::uint64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(on_device(addresses[0] + i), i + 1);
    EXPECT_EQ(on_device(addresses[1] + i), sentinel);
  }
  EXPECT_EQ(on_device(addresses[0] - 1), poison);
  EXPECT_EQ(on_device(addresses[0] + 4), poison);
  device_.copy(addresses[1], addresses[0] + 1, 2, 0);
  const CallReport report = device_.end_call();
  EXPECT_EQ(shared(128), 2);
  EXPECT_EQ(shared(129), 3);
  EXPECT_EQ(shared(130), sentinel);
  ASSERT_EQ(report.regions.size(), 3u);
  for (const RegionState& state : report.regions) {
    EXPECT_EQ(state.before, 0u);
    EXPECT_EQ(state.after, 0u);
    EXPECT_FALSE(state.changed);
  }
}

TEST_F(GradedCall, SeesDamageAndChangedInputs) {
  CallRegion in = input(0, {1, 2, 3, 4}), out = output(64, 4);
  in.before = 32;
  out.before = out.after = 4;
  const auto addresses = device_.begin_call({in, out});
  device_.fill(addresses[0] + 2, 9, 1, 1, 0);
  device_.fill(addresses[0] - 3, 9, 1, 2, 0);
  device_.fill(addresses[1] - 1, 9, 1, 6, 0);
  const CallReport report = device_.end_call();
  EXPECT_EQ(report.regions.at(0).changed, 2u);
  EXPECT_EQ(report.regions.at(0).before, 2u);
  EXPECT_EQ(report.regions.at(0).after, 0u);
  EXPECT_EQ(report.regions.at(1).before, 1u);
  EXPECT_EQ(report.regions.at(1).after, 1u);
  EXPECT_FALSE(report.regions.at(1).changed);
}

TEST_F(GradedCall, ChargesWhatTheProgramDoesAndNothingOfItsOwn) {
  const auto addresses = device_.begin_call({input(0, {1, 2, 3, 4}), output(64, 4)});
  EXPECT_EQ(device_.end_call().activity.seconds, 0);
  EXPECT_EQ(device_.end_call().activity.host_to_device_bytes, 0u);
  on_device(addresses[0]);
  const StreamId other = device_.create_stream(true);
  device_.fill(addresses[1], 0, 1, 4, other);  // waited for, though nobody asks
  const Activity activity = device_.end_call().activity;
  EXPECT_EQ(activity.device_to_host_bytes, 1u);
  EXPECT_GT(activity.seconds, 0);
}

TEST_F(GradedCall, WhatWasQueuedBeforeIsOverBefore) {
  const DeviceAddress own = device_.allocate(1 << 20);
  const StreamId stream = device_.create_stream(true);
  device_.fill(own, 1, 1, 1 << 20, stream);
  device_.begin_call({output(0, 4)});
  EXPECT_EQ(device_.end_call().activity.seconds, 0);
}

TEST_F(GradedCall, TakesAsLongWhateverWasBefore) {
  const auto seconds = [this] {
    const auto addresses = device_.begin_call({output(0, 4)});
    for (int i = 0; i < 7; ++i) device_.fill(addresses[0], 1, 1, 4, 0);
    return device_.end_call().activity.seconds;
  };
  const double first = seconds();
  const DeviceAddress own = device_.allocate(1 << 20);
  for (const std::uint64_t bytes : {1, 12345, 1 << 20}) {
    device_.fill(own, 1, 1, bytes, 0);
    EXPECT_EQ(seconds(), first);
  }
}

TEST_F(GradedCall, WhatComesAfterTheEndHasNoPart) {
  const auto addresses = device_.begin_call({output(0, 4)});
  device_.end_call();
  device_.fill(addresses[0], 7, 1, 4, 0);
  EXPECT_EQ(shared(0), sentinel);
}

TEST_F(GradedCall, LeavesNothingOfACallToTheNext) {
  const auto first = device_.begin_call({input(0, {1, 2, 3, 4})});
  device_.end_call();
  device_.begin_call({output(64, 4)});
  EXPECT_NE(error_of([&] { on_device(first[0]); }), 0);
}

/// Before, a program can look where it likes: there is nothing.
TEST_F(GradedCall, InputsAreNotThereBeforeItBegins) {
  LocalDevice twin;  // gives the same addresses
  const DeviceAddress expected = twin.allocate(4);
  input(0, {1, 2, 3, 4});
  EXPECT_FALSE(device_.is_device_address(expected));
  EXPECT_NE(error_of([&] { on_device(expected); }), 0);
  EXPECT_EQ(device_.begin_call({input(0, {1, 2, 3, 4})}).at(0), expected);
}

TEST_F(GradedCall, NobodyElseReleasesItsRegions) {
  CallRegion region = output(0, 4);
  region.before = 512;
  const auto addresses = device_.begin_call({region});
  EXPECT_EQ(error_of([&] { device_.note_maker(addresses[0] - 512, "me"); }), error_invalid_value);
  for (const DeviceAddress address : {addresses[0], addresses[0] - 512}) {
    EXPECT_EQ(error_of([&] { device_.release(address); }), error_invalid_value);
    EXPECT_EQ(error_of([&] { device_.release_async(address); }), error_invalid_value);
  }
  device_.fill(addresses[0], 1, 1, 4, 0);
  device_.end_call();
  EXPECT_EQ(shared(0), 1);
}

TEST_F(GradedCall, KnowsWhomARegionWasFor) {
  CallRegion region = output(0, 4);
  region.maker = "by the grader for the argument out";
  const auto addresses = device_.begin_call({region});
  device_.begin_call({});
  try {
    device_.release(addresses[0]);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("argument out"), std::string::npos) << error.what();
  }
}

TEST_F(GradedCall, RefusesWhatDoesNotFit) {
  CallRegion region;
  region.bytes = ~std::uint64_t{0};
  EXPECT_EQ(error_of([&] { device_.begin_call({region}); }), error_memory_allocation);
  region.before = region.after = region.bytes;
  EXPECT_EQ(error_of([&] { device_.begin_call({region}); }), error_memory_allocation);
  EXPECT_EQ(error_of([&] { device_.begin_call({output(0, 4), region}); }), error_memory_allocation);
  EXPECT_EQ(device_.end_call().regions.size(), 1u) << "of what was made";
  const CallRegion outside[] = {output(4093, 4), output(~std::uint64_t{0}, 4)};
  for (const CallRegion& each : outside) {
    EXPECT_EQ(error_of([&] { device_.begin_call({each}); }), error_invalid_value);
  }
  LocalDevice alone;
  EXPECT_EQ(error_of([&] { alone.begin_call({output(0, 4)}); }), error_invalid_value);
  EXPECT_EQ(error_of([&] { device_.begin_call({output(4092, 4)}); }), 0);
}

}  // namespace
}  // namespace gridstride::sim
