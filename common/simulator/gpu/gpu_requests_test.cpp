// A client that asks a device process on a real GPU for anything, with a driver whose GPU is the
// simulated one: the process answers, and goes on serving the judge.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "common/simulator/base/device_error.h"
#include "common/simulator/device/control.h"
#include "common/simulator/device/protocol.h"
#include "common/simulator/device/random_request.h"
#include "common/simulator/device/remote_device.h"
#include "common/simulator/device/test_container.h"
#include "common/simulator/gpu/gpu_process_fixture.h"
#include "common/unique_fd.h"

namespace gridstride::sim {
namespace {

const std::string store_kernel = ptx_head + R"(
.visible .global .align 4 .u32 calls = 7;
.visible .entry store(.param .u64 out)
{
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  st.global.u32 [%rd1], 1;
  ret;
}
)";

class GpuRequestsTest : public testing::TestWithParam<std::uint64_t> {
 protected:
  static void SetUpTestSuite() { find_test_driver(); }
};

TEST_P(GpuRequestsTest, NoneEndsTheProcess) {
  DeviceProcess process{gpu_process()};
  RemoteDevice client{UniqueFd(dup(process.client_fd()))};
  const auto container = container_of(store_kernel);
  client.load_module({container}, {"calls"});
  client.create_stream(true);
  client.create_event();
  const DeviceAddress memory = client.allocate(64);
  std::vector<std::byte> arguments(sizeof memory);
  std::memcpy(arguments.data(), &memory, sizeof memory);
  process.begin_call({});
  wire::RandomValues values{std::mt19937_64(GetParam()), {container, arguments}};
  int went_well = 0, failed = 0;
  // After an error that sticks nothing but that is answered.
  for (int round = 0; round < 40; ++round) {
    wire::ClientRequests::for_each([&]<class Request>() {
      if constexpr (!wire::trusts_its_caller<Request>) {
        try {
          Request::call(client, wire::random_arguments<Request>(values));
          ++went_well;
        } catch (const DeviceError&) {
          ++failed;
        }
      }
    });
  }
  EXPECT_GT(went_well, 0);
  EXPECT_GT(failed, 100);
  EXPECT_NO_THROW(process.end_call());
  EXPECT_TRUE(process.properties().hardware);
}

INSTANTIATE_TEST_SUITE_P(Seeds, GpuRequestsTest, testing::Range<std::uint64_t>(1, 17));

}  // namespace
}  // namespace gridstride::sim
