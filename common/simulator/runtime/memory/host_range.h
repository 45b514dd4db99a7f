// Host memory at device addresses. The device reserves its whole range on the host, so that a host
// access faults; parts of it are given to memory that both sides see, and taken back.
#pragma once

#include <cstdint>

#include "common/simulator/memory/global_memory.h"

namespace gridstride::sim {

/// Device addresses are the first one, which a real GPU's driver may put elsewhere, and this many
/// more, whatever is allocated there.
inline DeviceAddress first_device_address = GlobalMemory::base;
inline constexpr std::uint64_t device_range_bytes = std::uint64_t{1} << 40;

inline bool is_in_device_range(DeviceAddress address) {
  return address >= first_device_address && address < first_device_address + device_range_bytes;
}

inline constexpr std::uint64_t host_page =
    4096;  ///< bytes; also what Device::allocate_shared gives

/// `bytes` rounded up to pages.
std::uint64_t whole_pages(std::uint64_t bytes);
/// Private memory, zeros, readable and writable. False when it is not to be had.
bool map_host_range(std::uint64_t address, std::uint64_t bytes);
/// Inaccessible again, its pages given back.
void reserve_host_range(std::uint64_t address, std::uint64_t bytes);

}  // namespace gridstride::sim
