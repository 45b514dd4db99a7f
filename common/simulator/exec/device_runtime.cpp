// See device_runtime.h.
#include "common/simulator/exec/device_runtime.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace gridstride::sim {
namespace {

/// Of one grid; a copy of many rows counts as several.
constexpr std::uint64_t most_launches = 100'000;

}  // namespace

DeviceRuntime::~DeviceRuntime() {
  std::vector<DeviceAddress> all;
  for (const auto& [address, buffer] : buffers_) all.push_back(address);
  for (const auto& [bytes, addresses] : free_)
    all.insert(all.end(), addresses.begin(), addresses.end());
  // From the highest down, so that their addresses can be used again.
  std::ranges::sort(all, std::greater<>());
  for (const DeviceAddress address : all) memory_.forget(address, Allocation::Origin::parameters);
}

DeviceAddress DeviceRuntime::take_buffer(std::uint64_t bytes) {
  bytes = std::max<std::uint64_t>(bytes, 8);
  auto& free = free_[bytes];
  DeviceAddress address = 0;
  if (free.empty()) {
    address = memory_.allocate_as(bytes, Allocation::Origin::parameters);
  } else {
    address = free.back();
    free.pop_back();
  }
  if (address != 0) buffers_[address] = {.kernel = 0, .grid = {}, .block = {}, .bytes = bytes};
  return address;
}

DeviceRuntime::Buffer* DeviceRuntime::buffer(DeviceAddress address) {
  const auto found = buffers_.find(address);
  return found == buffers_.end() ? nullptr : &found->second;
}

void DeviceRuntime::give_back(DeviceAddress address) {
  const auto found = buffers_.find(address);
  if (found == buffers_.end()) return;
  free_[found->second.bytes].push_back(address);
  buffers_.erase(found);
}

int DeviceRuntime::fail(std::uint64_t thread, int error) {
  if (error != 0) errors_[thread] = error;
  return error;
}

int DeviceRuntime::last_error(std::uint64_t thread, bool forget) {
  const auto found = errors_.find(thread);
  if (found == errors_.end()) return 0;
  const int error = found->second;
  if (forget) errors_.erase(found);
  return error;
}

bool DeviceRuntime::admit(std::uint64_t stream, std::uint64_t argument_bytes,
                          std::uint64_t pending) {
  constexpr std::uint64_t most_argument_bytes = std::uint64_t{64} << 20;
  if (stream == tail_stream && tails_ >= pending) return false;
  if (launches_ >= most_launches || argument_bytes_ + argument_bytes > most_argument_bytes) {
    return false;
  }
  ++launches_;
  argument_bytes_ += argument_bytes;
  if (stream == tail_stream) ++tails_;
  return true;
}

bool DeviceRuntime::admit_rows(std::uint64_t rows) {
  constexpr std::uint64_t rows_of_a_launch = 64;
  if (launches_ >= most_launches || rows / rows_of_a_launch > most_launches - launches_) {
    return false;
  }
  launches_ += 1 + rows / rows_of_a_launch;
  return true;
}

std::uint64_t DeviceRuntime::make_stream() { return *streams_.insert(++handles_).first; }

std::uint64_t DeviceRuntime::make_event() { return *events_.insert(++handles_).first; }

bool DeviceRuntime::has_stream(std::uint64_t stream) const {
  return stream <= fire_and_forget_stream || streams_.contains(stream);
}

}  // namespace gridstride::sim
