// Host memory at device addresses. The device reserves its whole range on the host, so that a host
// access faults; parts of it are given to memory that both sides see, and taken back.
#pragma once

#include <cstdint>

namespace gridstride::sim {

inline constexpr std::uint64_t host_page =
    4096;  ///< bytes; also what Device::allocate_shared gives

/// `bytes` rounded up to pages.
std::uint64_t whole_pages(std::uint64_t bytes);
/// Private memory, zeros, readable and writable. False when it is not to be had.
bool map_host_range(std::uint64_t address, std::uint64_t bytes);
/// Inaccessible again, its pages given back.
void reserve_host_range(std::uint64_t address, std::uint64_t bytes);

}  // namespace gridstride::sim
