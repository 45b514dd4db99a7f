// Fuzz target: bytes as requests of a client, one after the other, to one device in the middle of a
// call that is graded. Nothing but what the server answers may come of them, and the call ends as
// any does.
//
// The bytes are the random numbers of well-formed requests, of which some are cut off, some have
// bytes behind them, and some get a byte that is another. The device has a module with a few kernels,
// a stream, an event, an array, a texture and a surface, so that some requests mean something; device
// code in requests is that module's, with a byte changed or not.
//
//   request_fuzz -max_total_time=600 FOLDER
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "common/shared_bytes.h"
#include "common/simulator/base/device_error.h"
#include "common/simulator/device/device.h"
#include "common/simulator/device/local_device.h"
#include "common/simulator/device/protocol.h"
#include "common/simulator/device/random_request.h"
#include "common/simulator/device/test_container.h"
#include "common/simulator/device/wire.h"

namespace {

using namespace gridstride::sim;

/// Numbers of the input, then zeros.
class Numbers {
 public:
  explicit Numbers(std::span<const std::uint8_t> rest) : rest_(rest) {}
  bool empty() const { return rest_.empty(); }
  /// As many bytes of the input as `Number` has.
  template <class Number>
  Number next() {
    Number number = 0;
    const std::size_t bytes = std::min(sizeof number, rest_.size());
    if (bytes > 0) std::memcpy(&number, rest_.data(), bytes);
    rest_ = rest_.subspan(bytes);
    return number;
  }

 private:
  std::span<const std::uint8_t> rest_;
};

std::vector<std::byte> arguments_of(std::uint16_t number, wire::RandomValues& values) {
  std::vector<std::byte> bytes;
  wire::ClientRequests::for_each([&]<class Request>() {
    if (Request::number == number) {
      bytes = wire::bytes_of(wire::random_arguments<Request>(values));
    }
  });
  return bytes;
}

void harm(std::vector<std::byte>& bytes, Numbers& numbers) {
  const auto at = numbers.next<std::uint16_t>();
  switch (numbers.next<std::uint8_t>() % 8) {
    case 0:
      bytes.resize(std::min<std::size_t>(bytes.size(), at % 64));
      break;
    case 1:
      bytes.resize(bytes.size() + at % 64);
      break;
    case 2:
      if (!bytes.empty()) bytes[at % bytes.size()] = std::byte{numbers.next<std::uint8_t>()};
      break;
    default:
      break;
  }
}

/// An input and an output, with bands around them.
std::vector<CallRegion> regions() {
  CallRegion in;
  in.before = in.after = 64;
  in.bytes = 1000;
  in.contents = 0;
  in.constant = true;
  CallRegion out = in;
  out.contents.reset();
  out.constant = false;
  out.result = in.bytes;
  return {in, out};
}

/// What a client could bring: copies a word, reads a texel and writes it, prints, never ends.
const std::string kernels = R"(
.version 9.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 calls = 7;
.visible .entry copy(.param .u64 in, .param .u64 out)
{
  .reg .b32 %r<3>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.u32 %r2, [%rd4];
  add.s64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r2;
  ret;
}
.visible .entry texel(.param .u64 texture, .param .u64 surface)
{
  .reg .b32 %r<5>; .reg .b64 %rd<3>; .reg .f32 %f<2>;
  ld.param.u64 %rd1, [texture];
  ld.param.u64 %rd2, [surface];
  mov.f32 %f1, 0f3F800000;
  tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%f1, %f1}];
  mov.u32 %r2, 0;
  sust.b.2d.b32.trap [%rd2, {%r2, %r2}], {%r1};
  ret;
}
.visible .entry forever()
{
  again:
  bra again;
}
)";

/// Bytes of one argument after the other.
std::vector<std::byte> arguments_of_kernel(std::uint64_t first, std::uint64_t second) {
  std::vector<std::byte> bytes(sizeof first + sizeof second);
  std::memcpy(bytes.data(), &first, sizeof first);
  std::memcpy(bytes.data() + sizeof first, &second, sizeof second);
  return bytes;
}

/// Gives the device what a client may name in its requests. Returns what their bytes are made of.
std::vector<std::vector<std::byte>> furnish(Device& device) {
  const auto container = container_of(kernels);
  device.load_module({container}, {"calls"});
  device.create_stream(true);
  device.create_event();
  constexpr std::uint64_t side = 8, bytes = side * side * 4;
  ArrayShape shape{.format = {TexelKind::unsigned_integer, 32, 1}, .width = side, .height = side};
  shape.surface = true;
  const ArrayId array = device.create_array(shape);
  const ObjectId texture = device.create_texture({.array = array});
  const ObjectId surface = device.create_surface(array);
  const DeviceAddress in = device.allocate(bytes), out = device.allocate(bytes);
  return {container, arguments_of_kernel(in, out), arguments_of_kernel(texture, surface)};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Numbers numbers({data, size});
  gridstride::SharedBytes shared = gridstride::SharedBytes::create();
  shared.grow(4096);
  LocalDeviceOptions options;
  options.shared = &shared;
  options.instruction_budget = 20'000;  // of `forever`
  LocalDevice device(options);
  const auto addresses = device.begin_call(regions());
  const auto next = [&numbers]() -> std::uint64_t {
    // A short number most of the time, so that a short input is a long conversation.
    const auto one = numbers.next<std::uint8_t>();
    return one < 250 ? one : numbers.next<std::uint64_t>();
  };
  wire::RandomValues values(next, furnish(device));
  while (!numbers.empty()) {
    const auto number = static_cast<std::uint16_t>(numbers.next<std::uint8_t>() % 72);
    std::vector<std::byte> bytes = arguments_of(number, values);
    harm(bytes, numbers);
    wire::Reader reader(bytes);
    try {
      wire::ClientRequests::answer(number, device, reader);
    } catch (const std::exception&) {
      // An error reply, or the end of the connection: what the server makes of any.
    }
  }
  const CallReport report = device.end_call();
  bool lost = report.regions.size() != 2;
  try {
    // The regions were the judge's all along, so they make room for themselves.
    lost |= device.begin_call(regions()).size() != addresses.size();
  } catch (const DeviceError&) {
    // An error that sticks, or memory that the client took.
  }
  if (lost) std::abort();
  return 0;
}
