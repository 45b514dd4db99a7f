// A device process on a real GPU, with a driver whose GPU is the simulated one: what is asked of the
// driver, and in which order. What a real driver makes of it, only a real GPU can tell.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "common/files.h"
#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/error_of.h"
#include "common/simulator/device/control.h"
#include "common/simulator/device/test_container.h"
#include "common/simulator/gpu/gpu_process_fixture.h"
#include "common/simulator/gpu/room.h"

namespace gridstride::sim {
namespace {

using namespace std::chrono_literals;

/// out[thread] = in[thread] + value; reads address 0 for value -1.
const std::string add_kernel = ptx_head + R"(
.visible .global .align 4 .u32 calls = 7;
.visible .entry _Z3addPKiPii(.param .u64 in, .param .u64 out, .param .u32 value)
{
  .reg .b32 %r<5>; .reg .b64 %rd<6>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.u32 %r1, [value];
  setp.eq.s32 %p1, %r1, -1;
  @%p1 mov.u64 %rd1, 0;
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.u32 %r3, [%rd4];
  add.s32 %r4, %r3, %r1;
  st.global.u32 [%rd5], %r4;
  ret;
}
)";

constexpr std::uint32_t threads = 64;
constexpr std::uint64_t bytes = threads * sizeof(std::int32_t);

class GpuDeviceTest : public GpuProcessTest {
 protected:
  /// One input of 64 numbers, 0 to 63, and one output, each with bands around them.
  std::vector<CallRegion> regions() {
    CallRegion in, out;
    in.before = in.after = out.before = out.after = 4096;
    in.bytes = out.bytes = bytes;
    in.filler = out.filler = 0xa5;
    in.contents = 0;
    in.constant = true;
    out.result = bytes;
    const auto shared = process_.share(2 * bytes);
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(threads); ++i) {
      std::memcpy(shared.data() + i * sizeof i, &i, sizeof i);
    }
    return {in, out};
  }

  std::int32_t result(std::size_t i) {
    std::int32_t value = 0;
    std::memcpy(&value, process_.share(2 * bytes).data() + bytes + i * sizeof value, sizeof value);
    return value;
  }

  const ModuleInfo& module() {
    if (module_.kernels.empty())
      module_ = client_.load_module({container_of(add_kernel)}, {"calls"});
    return module_;
  }

  LaunchRequest add(DeviceAddress in, DeviceAddress out, std::int32_t value, StreamId stream = 0) {
    LaunchRequest request;
    request.kernel = module().kernels.at(0).id;
    request.block.x = threads;
    request.stream = stream;
    request.arguments.resize(20);
    std::memcpy(request.arguments.data(), &in, sizeof in);
    std::memcpy(request.arguments.data() + 8, &out, sizeof out);
    std::memcpy(request.arguments.data() + 16, &value, sizeof value);
    return request;
  }

  ModuleInfo module_;
};

TEST_F(GpuDeviceTest, IsHardware) {
  EXPECT_TRUE(process_.properties().hardware);
  EXPECT_EQ(process_.properties().driver_version, 13000);
  EXPECT_EQ(client_.properties().capability, 90u);
}

TEST_F(GpuDeviceTest, BringsInputsAndTakesOutputsAndTime) {
  module();
  for (const std::int32_t value : {1, 5}) {
    const auto addresses = process_.begin_call(regions());
    client_.launch(add(addresses.at(0), addresses.at(1), value));
    client_.synchronize({});
    const CallReport report = process_.end_call();
    for (std::size_t i = 0; i < threads; ++i) {
      ASSERT_EQ(result(i), static_cast<std::int32_t>(i) + value);
    }
    EXPECT_GT(report.activity.seconds, 0);
    ASSERT_EQ(report.activity.launches.size(), 1u);
    EXPECT_EQ(report.activity.launches[0].kernel, "add(int const*, int*, int)");
    EXPECT_EQ(report.activity.launches[0].block.x, threads);
    EXPECT_EQ(report.activity.device_to_host_bytes, 0u);
    for (const RegionState& state : report.regions) {
      EXPECT_EQ(state.before, 0u);
      EXPECT_EQ(state.after, 0u);
      EXPECT_FALSE(state.changed);
    }
  }
}

/// The time is that of what was queued: each further launch takes as long as another, however long the program
/// took to ask for it. (A real GPU takes now and then one more moment: the shortest of several.)
TEST_F(GpuDeviceTest, CountsWorkAndNotTheWayToIt) {
  module();
  const auto seconds_of = [this](int launches, std::chrono::microseconds between) {
    const auto addresses = process_.begin_call(regions());
    const StreamId stream = client_.create_stream(true);
    for (int i = 0; i < launches; ++i) {
      client_.launch(add(addresses.at(0), addresses.at(1), 1, stream));
      usleep(static_cast<useconds_t>(between.count()));
    }
    client_.synchronize(stream);
    return process_.end_call().activity.seconds;
  };
  const auto shortest = [&seconds_of](int launches, std::chrono::microseconds between) {
    double seconds = seconds_of(launches, between);
    for (int again = 0; again < 4; ++again) {
      seconds = std::min(seconds, seconds_of(launches, between));
    }
    return seconds;
  };
  const double five = shortest(5, 0us), ten = shortest(10, 0us), fifteen = shortest(15, 0us);
  const double slow = shortest(10, 200us);
  EXPECT_GT(ten, 1.4 * five);
  EXPECT_NEAR((fifteen - ten) / (ten - five), 1, 0.3);
  EXPECT_NEAR(slow / ten, 1, 0.1);
}

TEST_F(GpuDeviceTest, CountsWhatTheHostWaitsFor) {
  module();
  const auto addresses = process_.begin_call(regions());
  client_.launch(add(addresses.at(0), addresses.at(1), 1));
  std::vector<std::byte> there(bytes);
  client_.read(there, addresses.at(1), 0);
  std::int32_t second = 0;
  std::memcpy(&second, there.data() + sizeof second, sizeof second);
  EXPECT_EQ(second, 2);
  client_.write(addresses.at(1), there, 0);
  const CallReport report = process_.end_call();
  EXPECT_EQ(report.activity.device_to_host_bytes, bytes);
  EXPECT_EQ(report.activity.host_to_device_bytes, bytes);
  EXPECT_EQ(result(2), 3);
}

/// Copies of memory that is not pinned wait for the GPU: behind a gate they would wait for ever.
TEST_F(GpuDeviceTest, OpensTheGateForWhatMustWait) {
  constexpr std::size_t much = std::size_t{17} << 20;
  const DeviceAddress memory = client_.allocate(much);
  std::vector<std::byte> from(much, std::byte{3}), to(much);
  process_.begin_call({});
  client_.write(memory, from, 0);
  client_.read(to, memory, 0);
  EXPECT_EQ(from, to);
  EXPECT_EQ(process_.end_call().activity.device_to_host_bytes, much);
}

TEST_F(GpuDeviceTest, TakesMoreLaunchesThanTheDriverQueues) {
  module();
  const auto addresses = process_.begin_call(regions());
  for (int i = 0; i < 1100; ++i) client_.launch(add(addresses.at(0), addresses.at(1), 1));
  const Activity activity = process_.end_call().activity;
  std::uint64_t launches = 0;
  for (const LaunchRecord& record : activity.launches) launches += record.launches;
  EXPECT_EQ(launches, 1100u);
}

TEST_F(GpuDeviceTest, ReportsWhatWasWrittenWhereNothingMay) {
  module();
  const auto addresses = process_.begin_call(regions());
  client_.launch(add(addresses.at(0), addresses.at(0) + 4, 0));          // into the input
  client_.launch(add(addresses.at(0), addresses.at(1) + bytes - 4, 0));  // past the output's end
  const CallReport report = process_.end_call();
  ASSERT_TRUE(report.regions.at(0).changed);
  EXPECT_EQ(*report.regions.at(0).changed, 4u);
  EXPECT_EQ(report.regions.at(0).after, 4u);
  EXPECT_GT(report.regions.at(1).after, 200u);
}

/// A program that goes on after the call's end would run while others are timed.
TEST_F(GpuDeviceTest, ServesNobodyBetweenTwoCalls) {
  module();
  process_.begin_call(regions());
  process_.end_call();
  std::atomic_bool answered = false;
  std::thread client([&] {
    client_.create_event();
    answered = true;
  });
  std::this_thread::sleep_for(100ms);
  EXPECT_FALSE(answered);
  process_.begin_call(regions());
  client.join();
  EXPECT_TRUE(answered);
}

TEST_F(GpuDeviceTest, KeepsTheErrorOfAKernelThatFails) {
  module();
  const auto addresses = process_.begin_call(regions());
  client_.launch(add(addresses.at(0), addresses.at(1), -1));
  EXPECT_EQ(error_of([&] { client_.synchronize({}); }), error_illegal_address);
  EXPECT_EQ(process_.end_call().activity.error, error_illegal_address);
  EXPECT_THROW(process_.begin_call(regions()), DeviceProcessRefused);
}

/// Prints, and asserts what is not so.
const std::string assert_kernel = ptx_head + R"(
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.global .align 1 .b8 text[7] = {104, 101, 108, 108, 111, 10, 0};
.global .align 1 .b8 condition[6] = {105, 32, 60, 32, 110, 0};
.visible .entry _Z6assertv()
{
  .reg .b64 %rd<4>;
  mov.u64 %rd1, text;
  cvta.global.u64 %rd1, %rd1;
  mov.u64 %rd2, condition;
  cvta.global.u64 %rd2, %rd2;
  mov.u64 %rd3, 0;
  { .param .b64 p0; .param .b64 p1; .param .b32 r;
    st.param.b64 [p0], %rd1; st.param.b64 [p1], %rd3;
    call.uni (r), vprintf, (p0, p1); }
  { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
    st.param.b64 [a], %rd2; st.param.b64 [b], %rd1; st.param.b32 [c], 7;
    st.param.b64 [d], %rd1; st.param.b64 [e], 1;
    call.uni __assertfail, (a, b, c, d, e); }
  ret;
}
)";

TEST_F(GpuDeviceTest, TellsTheJudgeWhatWasPrintedAndAsserted) {
  const ModuleInfo module = client_.load_module({container_of(assert_kernel)}, {});
  process_.begin_call(regions());
  LaunchRequest request;
  request.kernel = module.kernels.at(0).id;
  client_.launch(request);
  EXPECT_EQ(error_of([&] { client_.synchronize({}); }), error_assert);
  const Printed printed = process_.end_call().activity.printed;
  EXPECT_EQ(printed.beginning.find("hello\n"), 0u) << printed.beginning;
  EXPECT_NE(printed.beginning.find("i < n"), std::string::npos) << printed.beginning;
  EXPECT_EQ(printed.bytes, printed.beginning.size());
}

TEST_F(GpuDeviceTest, KnowsTheVariablesThatAProgramNames) {
  ASSERT_EQ(module().symbols.size(), 1u);
  std::int32_t value = 0;
  client_.read(std::as_writable_bytes(std::span(&value, 1)), module().symbols[0].address, 0);
  EXPECT_EQ(value, 7);
  EXPECT_TRUE(client_.is_device_address(module().symbols[0].address));
}

TEST_F(GpuDeviceTest, GivesMemoryBackWhenItsUseIsOver) {
  const DeviceAddress first = client_.allocate(1000), second = client_.allocate(1000);
  EXPECT_NE(first, second);
  client_.release_async(first);
  EXPECT_NE(client_.allocate(1000), first);
  EXPECT_EQ(error_of([&] { client_.release_async(first); }), error_invalid_value);
  client_.synchronize({});
  EXPECT_EQ(client_.allocate(1000), first);
  EXPECT_EQ(error_of([&] { client_.allocate(std::uint64_t{1} << 50); }), error_memory_allocation);
  const auto addresses = process_.begin_call(regions());
  EXPECT_EQ(error_of([&] { client_.release(addresses.at(0) - 4096); }), error_invalid_value);
}

/// Others may be graded on the same GPU.
TEST_F(GpuDeviceTest, HoldsAProgramToItsShareOfTheMemory) {
  constexpr std::uint64_t piece = std::uint64_t{1} << 29;
  std::vector<DeviceAddress> held;
  const auto take_all = [&] {
    return error_of([&] {
      for (;;) held.push_back(client_.allocate(piece));
    });
  };
  process_.begin_call(regions());
  EXPECT_EQ(take_all(), error_memory_allocation);
  EXPECT_GE(held.size(), 7u);
  EXPECT_LE(held.size(), 8u);
  EXPECT_LT(client_.memory().first, piece);
  client_.release(held.back());
  held.pop_back();
  EXPECT_EQ(take_all(), error_memory_allocation) << "what was given back is there again";
  EXPECT_GE(held.size(), 7u);
  process_.end_call();
  const auto addresses = process_.begin_call(regions());
  EXPECT_NE(addresses.at(0), 0u) << "the call's own memory is no part of it";
}

/// The driver makes room for all threads that fit on the GPU as soon as one kernel is launched.
TEST_F(GpuDeviceTest, HoldsAProgramToItsShareOfLocalMemory) {
  const DeviceProperties gpu = client_.properties();
  const std::uint64_t fit = std::uint64_t{gpu.multiprocessors} * gpu.warps_per_multiprocessor * 32;
  const DeviceAddress out = process_.begin_call(regions()).at(1);
  const auto launch = [&](std::uint64_t bytes) {
    const std::string array = "  .local .align 4 .b8 array[" + std::to_string(bytes) + "];\n";
    const std::string kernel = ptx_head + ".visible .entry deep(.param .u64 out) {\n" + array +
                               "  .reg .b32 %r<3>;\n  .reg .b64 %a<3>;\n"
                               "  mov.u32 %r1, %tid.x;\n  mov.u64 %a1, array;\n"
                               "  mad.wide.u32 %a1, %r1, 4, %a1;\n  st.local.u32 [%a1], %r1;\n"
                               "  ld.local.u32 %r2, [%a1+4];\n  ld.param.u64 %a2, [out];\n"
                               "  st.global.u32 [%a2], %r2;\n  ret;\n}\n";
    LaunchRequest request;
    request.kernel = client_.load_module({container_of(kernel)}, {}).kernels.at(0).id;
    request.arguments.resize(sizeof out);
    std::memcpy(request.arguments.data(), &out, sizeof out);
    client_.launch(request);
    client_.synchronize({});
  };
  launch(most_memory / fit / 4);
  EXPECT_EQ(error_of([&] { launch(most_memory / fit + 4096); }), error_memory_allocation);
}

TEST_F(GpuDeviceTest, HoldsLimitsToWhatMayBeTaken) {
  EXPECT_EQ(error_of([&] { client_.set_limit(DeviceLimit::heap_bytes, most_memory + 1); }),
            error_memory_allocation);
  EXPECT_EQ(error_of([&] { client_.set_limit(DeviceLimit::pending_launches, 1 << 30); }),
            error_memory_allocation);
}

TEST_F(GpuDeviceTest, RefusesHandlesThatAreMadeUp) {
  EXPECT_EQ(error_of([&] { client_.synchronize(StreamId{77}); }), error_invalid_handle);
  EXPECT_EQ(error_of([&] { client_.record(77, 0); }), error_invalid_handle);
  EXPECT_EQ(error_of([&] { client_.destroy_event(77); }), error_invalid_handle);
  EXPECT_EQ(error_of([&] { client_.destroy_array(77); }), error_invalid_handle);
  EXPECT_EQ(error_of([&] { client_.create_condition(); }), error_not_supported);
  LaunchRequest request;
  request.kernel = 77;
  EXPECT_EQ(error_of([&] { client_.launch(request); }), error_invalid_device_function);
  EXPECT_EQ(error_of([&] { client_.load_module({bytes_of("no container, but long enough")}, {}); }),
            error_invalid_kernel_image);
  request = add(0, 0, 0);
  request.arguments.resize(4);
  EXPECT_EQ(error_of([&] { client_.launch(request); }), error_invalid_value);
}

TEST(GpuDeviceProcess, SaysWhyThereIsNoGpu) {
  // Also where there is one: what is found first is no library.
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "libcuda.so.1").flush();
  setenv("LD_LIBRARY_PATH", folder.path().c_str(), 1);
  DeviceProcessOptions options;
  options.program = GRIDSTRIDE_GPU_DEVICE_PROGRAM;
  testing::internal::CaptureStderr();
  EXPECT_THROW(DeviceProcess process(options), DeviceProcessError);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("no NVIDIA driver"), std::string::npos);
}

}  // namespace
}  // namespace gridstride::sim
