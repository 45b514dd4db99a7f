// Dynamic parallelism: what kernels ask of the device runtime (libcudadevrt).
//
// A grid runs to its end before its children start, which is one of the orders the hardware may
// choose: a child sees what its parent wrote before the launch, and a parent cannot wait for it. So
// launches, copies and fills are only noted here, in the order of the calls; the device runs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "common/simulator/base/device_properties.h"
#include "common/simulator/base/dim3.h"
#include "common/simulator/base/handles.h"
#include "common/simulator/base/kernel_info.h"
#include "common/simulator/exec/device_work.h"
#include "common/simulator/memory/global_memory.h"

namespace gridstride::sim {

/// What the device runtime must know of the device. Errors are cudaError_t values as they come out
/// of calls in a kernel, which differ from those of the host's calls.
class DeviceRuntimeHost {
 public:
  virtual ~DeviceRuntimeHost() = default;
  /// 0, or why a grid of this shape cannot be launched.
  virtual int check_launch(std::size_t kernel, const Dim3& grid, const Dim3& block,
                           std::uint64_t dynamic_shared) = 0;
  virtual std::uint32_t resident_blocks(std::size_t kernel, std::uint32_t threads,
                                        std::uint64_t dynamic_shared) = 0;
  virtual KernelInfo kernel_info(std::size_t kernel) = 0;
  virtual DeviceProperties properties() = 0;
  /// cudaLimitDevRuntimePendingLaunchCount.
  virtual std::uint64_t pending_launches() = 0;
  /// cudaLimitPrintfFifoSize.
  virtual std::uint64_t printed_bytes() = 0;
};

/// The device runtime's state in one grid.
class DeviceRuntime {
 public:
  explicit DeviceRuntime(GlobalMemory& memory) : memory_(memory) {}
  ~DeviceRuntime();
  DeviceRuntime(const DeviceRuntime&) = delete;
  DeviceRuntime& operator=(const DeviceRuntime&) = delete;

  /// A place for the parameters of a launch, at least 8 bytes; 0 when memory is full.
  DeviceAddress take_buffer(std::uint64_t bytes);
  /// What a buffer was asked for; null for an address that is none, or was launched already.
  struct Buffer {
    std::size_t kernel = 0;
    Dim3 grid, block;
    std::uint64_t dynamic_shared = 0, bytes = 0;
  };
  Buffer* buffer(DeviceAddress address);
  void give_back(DeviceAddress address);

  /// The same error for GetLastError of this thread, until it asks. Returns `error`.
  int fail(std::uint64_t thread, int error);
  int last_error(std::uint64_t thread, bool forget);
  std::uint32_t next_turn(std::uint64_t thread) { return ++turns_[thread]; }

  /// Streams and events belong to the grid that made them: all its blocks may use them.
  std::uint64_t make_stream();
  std::uint64_t make_event();
  bool has_stream(std::uint64_t stream) const;
  bool has_event(std::uint64_t event) const { return events_.contains(event); }
  bool destroy_stream(std::uint64_t stream) { return streams_.erase(stream) != 0; }
  bool destroy_event(std::uint64_t event) { return events_.erase(event) != 0; }

  /// Whether one more copy or fill of so many rows may wait.
  bool admit_rows(std::uint64_t rows);
  /// Whether one more launch may wait. Into the tail stream `pending` may; of others a hundred
  /// thousand with 64 MiB of arguments, far more than the hardware was seen to hold up.
  bool admit(std::uint64_t stream, std::uint64_t argument_bytes, std::uint64_t pending);

  std::vector<DeviceWork> work;

 private:
  GlobalMemory& memory_;
  std::uint64_t tails_ = 0, launches_ = 0, argument_bytes_ = 0;
  std::map<DeviceAddress, Buffer> buffers_;
  std::map<std::uint64_t, std::vector<DeviceAddress>> free_;  ///< by size
  std::map<std::uint64_t, int> errors_;                       ///< by thread
  std::map<std::uint64_t, std::uint32_t> turns_;
  std::set<std::uint64_t> streams_, events_;
  std::uint64_t handles_ = 0x100;
};

}  // namespace gridstride::sim
