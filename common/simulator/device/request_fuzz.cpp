// Fuzz target: bytes as requests of a client, one after the other, to one device in the middle of a
// call that is graded. Nothing but what the server answers may come of them, and the call ends as
// any does.
//
// The bytes are the random numbers of well-formed requests, of which some are cut off, some have
// bytes behind them, and some get a byte that is another.
//
//   request_fuzz -max_total_time=600 FOLDER
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <span>
#include <vector>

#include "common/shared_bytes.h"
#include "common/simulator/base/device_error.h"
#include "common/simulator/device/device.h"
#include "common/simulator/device/local_device.h"
#include "common/simulator/device/protocol.h"
#include "common/simulator/device/random_request.h"
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Numbers numbers({data, size});
  gridstride::SharedBytes shared = gridstride::SharedBytes::create();
  shared.grow(4096);
  LocalDeviceOptions options;
  options.shared = &shared;
  LocalDevice device(options);
  const auto addresses = device.begin_call(regions());
  wire::RandomValues values([&]() -> std::uint64_t {
    // A short number most of the time, so that a short input is a long conversation.
    const auto one = numbers.next<std::uint8_t>();
    return one < 250 ? one : numbers.next<std::uint64_t>();
  });
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
