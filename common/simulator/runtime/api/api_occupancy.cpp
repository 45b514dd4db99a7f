// How many blocks of a kernel a multiprocessor holds.
#include <cstddef>
#include <cstdint>

#include "common/simulator/runtime/runtime.h"

using namespace gridstride::sim;

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int block_threads, std::size_t dynamic_shared, unsigned) {
  return guarded("cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&](Runtime& runtime) {
    if (blocks == nullptr || block_threads <= 0) invalid("a block without threads");
    const KernelInfo& info = runtime.modules().kernel(runtime.device(), function);
    *blocks = static_cast<int>(runtime.device().resident_blocks(
        info.id, static_cast<std::uint32_t>(block_threads), dynamic_shared));
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int block_threads,
                                                          std::size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_threads,
                                                                dynamic_shared, 0);
}

/// The most that still lets so many blocks fit, found by asking the device for each step in which
/// shared memory is given.
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function,
                                                      int blocks, int block_threads) {
  return guarded("cudaOccupancyAvailableDynamicSMemPerBlock", [&](Runtime& runtime) {
    if (bytes == nullptr || blocks <= 0 || block_threads <= 0) invalid("no blocks, or no threads");
    Device& device = runtime.device();
    const KernelInfo& info = runtime.modules().kernel(device, function);
    const auto fit = [&](std::uint64_t dynamic) {
      return device.resident_blocks(info.id, static_cast<std::uint32_t>(block_threads), dynamic) >=
             static_cast<std::uint32_t>(blocks);
    };
    if (!fit(0)) invalid("so many blocks do not fit even without shared memory");
    std::uint64_t most = 0, too_much = device.properties().shared_per_block_optin + 1;
    while (too_much - most > 1) {
      const std::uint64_t middle = most + (too_much - most) / 2;
      (fit(middle) ? most : too_much) = middle;
    }
    *bytes = most;
  });
}
