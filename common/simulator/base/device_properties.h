// What a GPU is, a simulated one or a real one, for those who ask it.
#pragma once

#include <cstdint>
#include <string>

namespace gridstride::sim {

struct DeviceProperties {
  std::string name;              ///< "Gridstride simulated H200 (1/33)"
  std::uint32_t capability = 0;  ///< 90
  std::uint32_t multiprocessors = 0;
  std::uint64_t global_memory = 0, l2_bytes = 0, shared_per_block = 0, shared_per_block_optin = 0,
                shared_per_multiprocessor = 0;
  std::uint32_t registers_per_multiprocessor = 0, warps_per_multiprocessor = 0,
                blocks_per_multiprocessor = 0;
  std::uint32_t clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;
  std::uint64_t first_address = 0;  ///< that device memory can have; there and above it is all
  bool hardware = false;            ///< a real GPU: its times are measured, not modelled
  bool elsewhere = false;           ///< it is one of another host than the program's
  std::int32_t driver_version = 0;  ///< of a real GPU: 13000 is for CUDA 13.0
  std::string
      pci_bus_id;  ///< of a real GPU: "0000:3b:00.0"; its driver's other interfaces know it by that
};

/// Bytes a second of the memory's pins, which make two transfers a clock; 0 when the device does not say.
inline double pin_bandwidth(const DeviceProperties& device) {
  return 2.0 * 1e3 * device.memory_clock_khz * device.memory_bus_bits / 8;
}

}  // namespace gridstride::sim
