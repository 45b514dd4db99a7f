// How much a client may make the process of a real GPU hold. The driver has no limit of its own that
// comes before the memory's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/device_error.h"

namespace gridstride::sim {

/// Of each kind of thing that has a handle.
inline constexpr std::size_t most_handles = 100'000;
/// Of modules, also of those that a reset of the device has made useless.
inline constexpr std::size_t most_modules = 1'000;
/// Bytes of the GPU's memory besides the arguments of a call, so that others find room on it. As much
/// again in each of these: arrays, a module's variables, the heap of kernels, local memory.
inline constexpr std::uint64_t most_memory = std::uint64_t{4} << 30;
/// Of launches by kernels, for which the driver keeps room.
inline constexpr std::uint64_t most_pending_launches = 1 << 20;

/// Throws DeviceError (cudaErrorMemoryAllocation) when `bytes` are more than one may have of `what`.
inline void require_share(std::uint64_t bytes, const char* what) {
  if (bytes <= most_memory) return;
  throw DeviceError(error_memory_allocation, false,
                    std::to_string(bytes) + " bytes of " + what + ": a stage may have " +
                        std::to_string(most_memory));
}

/// Throws DeviceError (cudaErrorMemoryAllocation) when there are `most` of them. `things`: their name
/// in the plural.
inline void require_room(std::size_t there, std::size_t most, const char* things) {
  if (there < most) return;
  throw DeviceError(error_memory_allocation, false, std::string("too many ") + things);
}

}  // namespace gridstride::sim
