// First fit among what is mapped; neighbours that are free are one.
#include "common/simulator/gpu/gpu_memory.h"

#include <cuda.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/device_error.h"
#include "common/simulator/base/round_up.h"
#include "common/simulator/memory/global_memory.h"

namespace gridstride::sim {
namespace {

/// Addresses for so many times the memory: it may be in pieces when a large one is asked for.
constexpr std::uint64_t addresses_per_byte = 2, most_addresses = std::uint64_t{1} << 40;
constexpr std::uint64_t least_mapped = std::uint64_t{32} << 20;

}  // namespace

GpuMemory::GpuMemory(const Driver& driver, CUdevice device, std::uint64_t capacity)
    : driver_(driver) {
  properties_.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties_.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device};
  check(driver_,
        driver_.cuMemGetAllocationGranularity(&granularity_, &properties_,
                                              CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
        "the granularity of the GPU's memory");
  range_bytes_ = round_up(std::min(capacity * addresses_per_byte, most_addresses), granularity_);
  // The driver takes an address as a wish. Where the simulated GPU has its memory is the first.
  constexpr std::uint64_t terabyte = std::uint64_t{1} << 40;
  for (const DeviceAddress wanted : {GlobalMemory::base, 12 * terabyte, 17 * terabyte,
                                     33 * terabyte, 49 * terabyte, 65 * terabyte}) {
    CUdeviceptr got = 0;
    if (driver_.cuMemAddressReserve(&got, range_bytes_, 0, wanted, 0) != CUDA_SUCCESS) continue;
    if (got == wanted) {
      begin_ = end_ = got;
      return;
    }
    driver_.cuMemAddressFree(got, range_bytes_);
  }
  throw DeviceError(error_memory_allocation, true,
                    "the driver gives none of the addresses that the course wants for a GPU's "
                    "memory");
}

GpuMemory::~GpuMemory() {
  for (const Mapping& mapping : mappings_) {
    driver_.cuMemUnmap(mapping.begin, mapping.bytes);
    driver_.cuMemRelease(mapping.handle);
  }
  driver_.cuMemAddressFree(begin_, range_bytes_);
}

GpuMemory::Pieces::const_iterator GpuMemory::find_free(std::uint64_t bytes,
                                                       std::uint64_t alignment) const {
  return std::ranges::find_if(free_, [&](const auto& piece) {
    const std::uint64_t skipped = round_up(piece.first, alignment) - piece.first;
    return piece.second >= bytes && piece.second - bytes >= skipped;
  });
}

bool GpuMemory::must_map(std::uint64_t bytes, std::uint64_t alignment) const {
  return find_free(round_up(std::max<std::uint64_t>(bytes, 1), alignment), alignment) ==
         free_.end();
}

void GpuMemory::map_more(std::uint64_t bytes) {
  const auto no_memory = [&] {
    throw DeviceError(error_memory_allocation, false,
                      std::to_string(bytes) + " bytes do not fit: " + std::to_string(used_) +
                          " bytes of the GPU are in use");
  };
  const std::uint64_t room = begin_ + range_bytes_ - end_;
  if (bytes > room) no_memory();
  const std::uint64_t size = std::min(room, round_up(std::max(bytes, least_mapped), granularity_));
  Mapping mapping{.begin = end_, .bytes = size, .handle = 0};
  const CUresult created = driver_.cuMemCreate(&mapping.handle, size, &properties_, 0);
  if (created == CUDA_ERROR_OUT_OF_MEMORY) no_memory();
  check(driver_, created, "memory of the GPU");
  const CUresult mapped = driver_.cuMemMap(end_, size, 0, mapping.handle, 0);
  if (mapped != CUDA_SUCCESS) driver_.cuMemRelease(mapping.handle);
  check(driver_, mapped, "memory of the GPU");
  mappings_.push_back(mapping);
  end_ += size;
  CUmemAccessDesc access{};
  access.location = properties_.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  check(driver_, driver_.cuMemSetAccess(mapping.begin, size, &access, 1), "memory of the GPU");
  give_back(mapping.begin, size);
}

void GpuMemory::give_back(DeviceAddress begin, std::uint64_t bytes) {
  auto next = free_.lower_bound(begin);
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == begin) {
      begin = before->first;
      bytes += before->second;
      free_.erase(before);
    }
  }
  if (next != free_.end() && begin + bytes == next->first) {
    bytes += next->second;
    free_.erase(next);
  }
  free_[begin] = bytes;
}

DeviceAddress GpuMemory::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  if (bytes > range_bytes_) bytes = range_bytes_ + 1;  // no sum below overflows; it does not fit
  const std::uint64_t size = round_up(std::max<std::uint64_t>(bytes, 1), alignment);
  auto found = find_free(size, alignment);
  if (found == free_.end()) {
    map_more(size + alignment);
    found = find_free(size, alignment);
  }
  const auto [begin, room] = *found;
  free_.erase(found);
  const DeviceAddress address = round_up(begin, alignment);
  if (address > begin) free_[begin] = address - begin;
  const std::uint64_t rest = begin + room - (address + size);
  if (rest > 0) free_[address + size] = rest;
  live_[address] = size;
  used_ += size;
  return address;
}

bool GpuMemory::release(DeviceAddress address) {
  const auto found = live_.find(address);
  if (found == live_.end()) return false;
  used_ -= found->second;
  give_back(address, found->second);
  live_.erase(found);
  return true;
}

bool GpuMemory::holds(DeviceAddress address) const {
  const auto after = live_.upper_bound(address);
  if (after == live_.begin()) return false;
  const auto& [begin, bytes] = *std::prev(after);
  return address - begin < bytes;
}

}  // namespace gridstride::sim
