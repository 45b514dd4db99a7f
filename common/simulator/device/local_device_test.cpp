// The simulated GPU put together: modules, launches, errors, time, activity.
#include "common/simulator/device/local_device.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "common/simulator/base/error_of.h"
#include "common/simulator/device/launch_limits.h"
#include "common/simulator/device/test_container.h"

namespace gridstride::sim {
namespace {

constexpr const char* head = ".version 9.0\n.target sm_75\n.address_size 64\n";

/// out[thread] = value + thread; traps for value -1.
const std::string store_kernel = std::string(head) + R"(
.visible .entry _Z5storePii(.param .u64 out, .param .u32 value)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [value];
  setp.eq.s32 %p1, %r1, -1;
  @%p1 trap;
  mov.u32 %r2, %tid.x;
  add.s32 %r3, %r1, %r2;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3;
  ret;
}
)";

/// Adds 1 to each number.
const std::string add_kernel = std::string(head) + R"(
.visible .entry _Z3addPi(.param .u64 numbers)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [numbers];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r1, [%rd3];
  add.s32 %r3, %r1, 1;
  st.global.u32 [%rd3], %r3;
  ret;
}
)";

const std::string spin_kernel = std::string(head) + R"(
.visible .entry spin()
{
  .reg .b32 %r<2>; .reg .pred %p<2>;
  mov.u32 %r1, 1;
AGAIN:
  add.u32 %r1, %r1, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra AGAIN;
  ret;
}
)";

class LocalDeviceTest : public testing::Test {
 protected:
  const KernelInfo& load(const std::string& ptx) {
    module_ = device_.load_module({container_of(ptx)}, {});
    return module_.kernels.at(0);
  }

  LaunchRequest store(const KernelInfo& kernel, DeviceAddress out, std::int32_t value,
                      std::uint32_t threads = 32) {
    LaunchRequest request;
    request.kernel = kernel.id;
    request.block.x = threads;
    request.arguments.resize(kernel.argument_bytes);
    std::memcpy(request.arguments.data(), &out, sizeof out);
    std::memcpy(request.arguments.data() + 8, &value, sizeof value);
    return request;
  }

  std::int32_t value_at(DeviceAddress address) {
    std::int32_t value = 0;
    device_.read(std::as_writable_bytes(std::span(&value, 1)), address, 0);
    return value;
  }

  LocalDevice device_;
  ModuleInfo module_;
};

TEST_F(LocalDeviceTest, RunsAKernel) {
  const KernelInfo& kernel = load(store_kernel);
  EXPECT_EQ(kernel.name, "_Z5storePii");
  EXPECT_EQ(kernel.argument_bytes, 12u);
  const DeviceAddress out = device_.allocate(128);
  device_.launch(store(kernel, out, 40));
  EXPECT_EQ(value_at(out + 4 * 31), 71);
}

TEST_F(LocalDeviceTest, RecordsWhatRan) {
  const KernelInfo& kernel = load(store_kernel);
  const DeviceAddress out = device_.allocate(128);
  device_.mark(true);
  device_.launch(store(kernel, out, 0));
  device_.launch(store(kernel, out, 1, 16));
  const Activity activity = device_.activity();
  ASSERT_EQ(activity.launches.size(), 2u);
  const LaunchRecord& first = activity.launches[0];
  EXPECT_EQ(first.kernel, "store(int*, int)");
  EXPECT_EQ(first.counters.global_store_sectors, 4u);
  EXPECT_EQ(activity.launches[1].counters.global_store_sectors, 2u);
  EXPECT_GT(first.seconds, 2e-6);
  // So short a kernel is over before the host has launched the next one.
  EXPECT_DOUBLE_EQ(activity.launches[1].start, default_profile().host_launch_seconds);
  EXPECT_DOUBLE_EQ(activity.seconds, activity.launches[1].start + activity.launches[1].seconds);
  EXPECT_EQ(first.limiter, "launch");
}

// From memory to an array to memory, of which half has been written.
TEST_F(LocalDeviceTest, CopiesOfRegionsBringWhatNobodyHasWrittenAsItIs) {
  const KernelInfo& kernel = load(add_kernel);
  const ArrayId array =
      device_.create_array({.format = {TexelKind::signed_integer, 32, 1}, .width = 8, .height = 4});
  const DeviceAddress in = device_.allocate(128), out = device_.allocate(128);
  device_.fill(in, 0, sizeof(int), 16, 0);
  const RegionSize size{32, 4, 1};
  const auto in_memory = [](DeviceAddress at) {
    return RegionPlace{.address = at, .pitch = 32, .rows = 4};
  };
  device_.copy_region({.array = array}, in_memory(in), size, 0);
  device_.copy_region(in_memory(out), {.array = array}, size, 0);
  LaunchRequest request;
  request.kernel = kernel.id;
  request.arguments.resize(kernel.argument_bytes);
  std::memcpy(request.arguments.data(), &out, sizeof out);
  for (const std::uint32_t threads : {16, 17}) {
    device_.mark(true);
    request.block.x = threads;
    device_.launch(request);
    EXPECT_EQ(device_.activity().launches.at(0).findings.size(), threads - 16) << threads;
  }
}

TEST_F(LocalDeviceTest, MarkForgetsWhatWas) {
  const KernelInfo& kernel = load(store_kernel);
  const DeviceAddress out = device_.allocate(128);
  device_.launch(store(kernel, out, 0));
  device_.mark(false);
  EXPECT_TRUE(device_.activity().launches.empty());
  EXPECT_EQ(device_.activity().seconds, 0);
}

TEST_F(LocalDeviceTest, AnErrorOfAKernelShowsLaterAndSticks) {
  const KernelInfo& kernel = load(store_kernel);
  device_.launch(store(kernel, 0, 0));
  EXPECT_EQ(error_of([&] { device_.synchronize({}); }), 700);
  EXPECT_EQ(error_of([&] { device_.allocate(1); }), 700);
  EXPECT_EQ(error_of([&] { device_.launch(store(kernel, 0, 0)); }), 700);
  const Activity activity = device_.activity();
  EXPECT_EQ(activity.error, 700);
  ASSERT_EQ(activity.launches.size(), 1u);
  EXPECT_EQ(activity.launches[0].findings.at(0).kind, FindingKind::out_of_bounds);
}

TEST_F(LocalDeviceTest, ATrapEndsTheLaunch) {
  const KernelInfo& kernel = load(store_kernel);
  device_.launch(store(kernel, device_.allocate(128), -1));
  EXPECT_NE(error_of([&] { device_.synchronize({}); }), 0);
}

TEST_F(LocalDeviceTest, ImpossibleLaunchesLeaveTheDeviceWell) {
  const KernelInfo& kernel = load(store_kernel);
  const DeviceAddress out = device_.allocate(128);
  LaunchRequest request = store(kernel, out, 0, 1025);
  EXPECT_EQ(error_of([&] { device_.launch(request); }), 1);
  request = store(kernel, out, 0);
  request.grid.y = 65536;
  EXPECT_EQ(error_of([&] { device_.launch(request); }), 1);
  request = store(kernel, out, 0);
  request.dynamic_shared = 48 * 1024 + 1;
  EXPECT_EQ(error_of([&] { device_.launch(request); }), 1);
  request = store(kernel, out, 0);
  request.arguments.pop_back();
  EXPECT_EQ(error_of([&] { device_.launch(request); }), 1);
  request = store(kernel, out, 0);
  request.stream = 5;
  EXPECT_EQ(error_of([&] { device_.launch(request); }), 400);
  request = store(kernel, out, 0);
  request.cooperative = true;
  request.grid.x = 1000;
  EXPECT_EQ(error_of([&] { device_.launch(request); }), 720);
  device_.launch(store(kernel, out, 3));
  EXPECT_EQ(value_at(out), 3);
}

/// How many registers ptxas would need is estimated from the PTX; it may need fewer.
TEST_F(LocalDeviceTest, NoLaunchIsRefusedForAnEstimateOfRegisters) {
  std::string loads, adds;
  for (int i = 0; i < 100; ++i) {
    const std::string value = "%v" + std::to_string(i);
    loads += "  ld.volatile.global.u32 " + value + ", [%rd1 + " + std::to_string(4 * i) + "];\n";
    adds = "  add.s32 %v0, %v0, " + value + ";\n" + adds;  // the last that is loaded first
  }
  const KernelInfo& kernel = load(std::string(head) +
                                  ".visible .entry sum(.param .u64 out, .param .u32 value)\n{\n"
                                  "  .reg .b32 %v<100>; .reg .b64 %rd<2>;\n"
                                  "  ld.param.u64 %rd1, [out];\n" +
                                  loads + adds + "  st.global.u32 [%rd1], %v0;\n  ret;\n}\n");
  ASSERT_GT(kernel.registers, 64u);  // so that 1024 threads would need more than there are
  const DeviceAddress out = device_.allocate(400);
  device_.fill(out, 0, 4, 100, 0);
  EXPECT_EQ(device_.resident_blocks(kernel.id, 1024, 0), 1u);
  device_.launch(store(kernel, out, 0, 1024));
  EXPECT_EQ(value_at(out), 0);
}

/// The PTX is what is run; the machine code beside it would only have told of registers.
TEST_F(LocalDeviceTest, MachineCodeThatCannotBeReadIsNoReasonToRefuseAProgram) {
  std::vector<std::byte> machine_code = container_of("\177ELF\2\1 and no more", 90);
  machine_code[16] = std::byte{2};  // no PTX
  module_ = device_.load_module({container_of(store_kernel), machine_code}, {});
  const KernelInfo& kernel = module_.kernels.at(0);
  EXPECT_TRUE(kernel.registers_estimated);
  EXPECT_GT(kernel.registers, 0u);
  const DeviceAddress out = device_.allocate(128);
  device_.launch(store(kernel, out, 3));
  EXPECT_EQ(value_at(out), 3);
}

TEST_F(LocalDeviceTest, MoreDynamicSharedMemoryHasToBeAllowed) {
  const KernelInfo& kernel = load(store_kernel);
  const DeviceAddress out = device_.allocate(128);
  LaunchRequest request = store(kernel, out, 0);
  request.dynamic_shared = 100 * 1024;
  EXPECT_EQ(error_of([&] { device_.allow_dynamic_shared(kernel.id, 228 * 1024); }), 1);
  EXPECT_EQ(error_of([&] { device_.launch(request); }), 1);
  device_.allow_dynamic_shared(kernel.id, 100 * 1024);
  device_.launch(request);
  EXPECT_EQ(device_.resident_blocks(kernel.id, 32, 100 * 1024), 2u);
}

TEST_F(LocalDeviceTest, ModulesThatCannotBeLoadedSayWhy) {
  const auto load_error = [&](const std::string& ptx, std::uint32_t architecture) {
    return error_of([&] { device_.load_module({container_of(ptx, architecture)}, {}); });
  };
  EXPECT_EQ(load_error(store_kernel, 100), 209);
  EXPECT_EQ(load_error("this is no PTX", 75), 218);
  EXPECT_EQ(error_of([&] { device_.load_module({bytes_of("nonsense, and long enough")}, {}); }),
            200);
  EXPECT_EQ(error_of([&] { device_.load_module({}, {}); }), 209);
}

TEST_F(LocalDeviceTest, ModulesWithoutEndAreRefused) {
  const std::string long_ptx = store_kernel + "//" + std::string(std::size_t{20} << 20, 'x') + "\n";
  const auto load_error = [&] {
    return error_of([&] { device_.load_module({container_of(long_ptx)}, {}); });
  };
  EXPECT_EQ(load_error(), 0);
  EXPECT_EQ(load_error(), 0);
  EXPECT_EQ(load_error(), 0);
  EXPECT_EQ(load_error(), 2);
}

TEST_F(LocalDeviceTest, WhatIsNotKnownIsRefusedByName) {
  const std::string ptx = std::string(head) +
                          ".visible .entry k()\n{\n.reg .b32 %r<3>;\n"
                          "frobnicate.u32 %r1, %r2;\nret;\n}\n";
  LaunchRequest request;
  try {
    request.kernel = load(ptx).id;
    device_.launch(request);
    FAIL() << "launched";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code(), 801);
    EXPECT_NE(std::string(error.what()).find("frobnicate.u32"), std::string::npos) << error.what();
  }
  EXPECT_EQ(error_of([&] { device_.synchronize({}); }), 801);  // nothing after it can be right
  ASSERT_EQ(device_.activity().refusals.size(), 1u);
  EXPECT_NE(device_.activity().refusals[0].find("frobnicate.u32"), std::string::npos);
}

/// One warp in a loop that never ends.
void launch_without_end(LocalDevice& device) {
  const ModuleInfo module = device.load_module({container_of(spin_kernel)}, {});
  LaunchRequest request;
  request.kernel = module.kernels.at(0).id;
  device.launch(request);
}

TEST(LocalDevice, AnEndlessKernelEndsWithItsBudget) {
  LocalDeviceOptions options;
  options.instruction_budget = 100'000;
  LocalDevice device(options);
  launch_without_end(device);
  EXPECT_EQ(error_of([&] { device.synchronize({}); }), 702);
  EXPECT_EQ(device.activity().launches.at(0).findings.at(0).kind, FindingKind::timeout);
}

TEST(LocalDevice, AnEndlessKernelEndsWithItsModelledTime) {
  LocalDeviceOptions options;
  options.time_limit = 1e-3;
  options.limit_advice = "Ask for more.";
  LocalDevice device(options);
  launch_without_end(device);
  EXPECT_EQ(error_of([&] { device.synchronize({}); }), 702);
  const Finding finding = device.activity().launches.at(0).findings.at(0);
  EXPECT_EQ(finding.kind, FindingKind::timeout);
  const std::uint64_t instructions =
      instructions_in(options.time_limit, issue_rate(options.profile, {1}, {32}));
  const std::string said = std::to_string(instructions) + " warp instructions, at least 0.001 s";
  EXPECT_NE(finding.message.find(said), std::string::npos) << finding.message;
  EXPECT_TRUE(finding.message.ends_with("Ask for more.")) << finding.message;
}

TEST(LaunchLimits, FewWarpsIssueLess) {
  const DeviceProfile profile = default_profile();
  const double one = issue_rate(profile, {1}, {32});
  EXPECT_DOUBLE_EQ(issue_rate(profile, {1}, {33}), 2 * one);
  EXPECT_DOUBLE_EQ(issue_rate(profile, {1000}, {256}), profile.throughput.issue);
  EXPECT_EQ(instructions_in(0, one), 0u);
  EXPECT_EQ(instructions_in(2, 10), 20u);
  EXPECT_EQ(instructions_in(1e-30, 10), 1u);  // 0 would be no limit
  EXPECT_EQ(smaller_limit(0, 5), 5u);
  EXPECT_EQ(smaller_limit(7, 5), 5u);
  EXPECT_EQ(smaller_limit(0, 0), 0u);
}

TEST(LocalDevice, TellsOfEachLaunch) {
  std::vector<std::string> told;
  LocalDeviceOptions options;
  options.on_launch = [&](const LaunchRecord& record) { told.push_back(record.kernel); };
  options.instruction_budget = 1000;
  LocalDevice device(options);
  launch_without_end(device);
  EXPECT_EQ(told, std::vector<std::string>{"spin"});
}

TEST_F(LocalDeviceTest, MemoryIsCheckedAtBothEnds) {
  const DeviceAddress address = device_.allocate(100);
  std::vector<std::byte> bytes(101);
  EXPECT_EQ(error_of([&] { device_.write(address, bytes, 0); }), 1);
  EXPECT_EQ(error_of([&] { device_.read(bytes, address, 0); }), 1);
  EXPECT_EQ(error_of([&] { device_.copy(address, address + 50, 51, 0); }), 1);
  EXPECT_EQ(error_of([&] { device_.fill(address, 0, 4, 26, 0); }), 1);
  EXPECT_EQ(error_of([&] { device_.fill(address, 0, 3, 1, 0); }), 1);
  EXPECT_EQ(error_of([&] { device_.fill(address, 0, 4, ~std::uint64_t{0} / 2, 0); }), 1);
  device_.fill(address, 0x01020304, 4, 25, 0);
  EXPECT_EQ(value_at(address + 96), 0x01020304);
  device_.release(address);
  EXPECT_EQ(error_of([&] { device_.read(std::span(bytes).first(1), address, 0); }), 1);
}

TEST_F(LocalDeviceTest, AColdL2CostsTime) {
  const KernelInfo& kernel = load(store_kernel);
  const DeviceAddress out = device_.allocate(128);
  device_.launch(store(kernel, out, 0));
  const auto misses = [&](bool cold) {
    device_.mark(cold);
    std::vector<std::byte> bytes(128);
    device_.launch(store(kernel, out, 0));
    return device_.activity().launches.at(0).counters.l2_hit_sectors;
  };
  EXPECT_GT(misses(false), misses(true));
}

}  // namespace
}  // namespace gridstride::sim
