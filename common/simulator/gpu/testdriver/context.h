// The one context of the driver for tests: the simulated GPU, behind queues.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/device/local_device.h"
#include "common/simulator/gpu/testdriver/streams.h"

struct CUfunc_st {
  gridstride::sim::KernelInfo info;
};

struct CUmod_st {
  gridstride::sim::ModuleInfo info;
  std::vector<std::unique_ptr<CUfunc_st>> functions;
};

struct CUarray_st {
  gridstride::sim::ArrayId id = 0;  ///< of the device's array
};

struct CUlinkState_st {
  std::vector<std::vector<std::byte>> containers;
};

namespace gridstride::testdriver {

/// Bytes of the memory that the GPU of this driver has: more than one program may use.
inline constexpr std::uint64_t memory_bytes = std::uint64_t{8} << 30;

struct Context {
  /// Waiting for work that cannot go on is an error after so long, not for ever.
  static constexpr double most_seconds = 5;

  static Context& get();

  /// `call`, with what the device throws as an error of the driver.
  template <class Call>
  CUresult guarded(Call&& call) {
    if (error != CUDA_SUCCESS) return error;
    try {
      call();
      return CUDA_SUCCESS;
    } catch (const sim::DeviceError& failed) {
      if (failed.sticky()) end(failed);
      return static_cast<CUresult>(failed.code());
    }
  }
  /// What a driver says of a failure that sticks: what was printed, and of an assertion where it is.
  void end(const sim::DeviceError& failed);
  static void print(const std::string& text);
  /// Queues what `work` does on the device.
  template <class Work>
  CUresult queue(CUstream handle, Work work) {
    CUstream stream = streams.find(handle);
    if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    streams.queue(stream, [this, work = std::move(work)]() mutable {
      guarded(work);  // an error that sticks is told by the calls that follow
      return true;
    });
    return error;
  }
  /// Waits for a stream, or for all when it is null.
  CUresult wait(CUstream stream);
  /// True for memory that the driver was told of, from and to which a GPU copies by itself.
  bool is_pinned(const void* host) const;

  sim::LocalDevice device{with_addresses()};
  Streams streams;
  CUresult error = CUDA_SUCCESS;
  std::map<const std::byte*, std::size_t> pinned;  ///< bytes
  std::set<CUlinkState> links;                     ///< whose result can be loaded as a module

 private:
  /// A device with addresses for so much memory and more, as are reserved at once.
  static sim::LocalDeviceOptions with_addresses() {
    sim::LocalDeviceOptions options;
    options.profile.properties.global_memory = 4 * memory_bytes;
    return options;
  }
};

}  // namespace gridstride::testdriver
