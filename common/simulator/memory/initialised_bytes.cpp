// See the header.
#include "common/simulator/memory/initialised_bytes.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

namespace gridstride::sim {

namespace {

constexpr std::uint64_t tracked_page = 4096;

/// Zeros in memory of our own. Whole pages of them are given back: an allocation may be larger than
/// what the host has left, and is seldom used as a whole.
void clear_bits(std::uint8_t* begin, std::uint64_t bytes) {
  const std::uint64_t before = -reinterpret_cast<std::uintptr_t>(begin) % tracked_page;
  const std::uint64_t pages = before < bytes ? (bytes - before) / tracked_page * tracked_page : 0;
  if (pages == 0 || ::madvise(begin + before, pages, MADV_DONTNEED) != 0) {
    std::memset(begin, 0, bytes);
    return;
  }
  std::memset(begin, 0, before);
  std::memset(begin + before + pages, 0, bytes - before - pages);
}

}  // namespace

InitialisedBytes::InitialisedBytes(std::uint64_t bytes) : size_(bytes / 8 + 64) {
  void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  bits_ = static_cast<std::uint8_t*>(memory);
}

InitialisedBytes::~InitialisedBytes() { munmap(bits_, size_); }

void InitialisedBytes::assign(std::uint64_t offset, std::uint64_t bytes, bool value) {
  if (bytes == 0) return;
  const std::uint64_t first = offset / 8, last = (offset + bytes - 1) / 8;
  const auto head = static_cast<std::uint8_t>(0xff << (offset % 8));
  const auto tail = static_cast<std::uint8_t>(0xff >> (7 - (offset + bytes - 1) % 8));
  const auto put = [&](std::uint64_t at, unsigned mask) {
    bits_[at] = static_cast<std::uint8_t>(value ? bits_[at] | mask : bits_[at] & ~mask);
  };
  if (first == last) return put(first, head & tail);
  put(first, head);
  if (value) {
    std::memset(bits_ + first + 1, 0xff, last - first - 1);
  } else {
    clear_bits(bits_ + first + 1, last - first - 1);
  }
  put(last, tail);
}

bool InitialisedBytes::all(std::uint64_t offset, std::uint64_t bytes) const {
  if (bytes == 0) return true;
  std::uint64_t at = offset;
  const std::uint64_t end = offset + bytes;
  while (at < end && at % 8 != 0) {
    if (!all_of_lane(at++, 1)) return false;
  }
  for (; at + 64 <= end; at += 64) {
    std::uint64_t bits;
    std::memcpy(&bits, bits_ + at / 8, sizeof bits);
    if (bits != ~std::uint64_t{0}) return false;
  }
  for (; at + 8 <= end; at += 8) {
    if (bits_[at / 8] != 0xff) return false;
  }
  return at == end || all_of_lane(at, static_cast<std::uint32_t>(end - at));
}

void InitialisedBytes::copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
  if (all(from, bytes)) return set(to, bytes);
  std::vector<bool> bits(bytes);
  for (std::uint64_t i = 0; i < bytes; ++i) bits[i] = all_of_lane(from + i, 1);
  for (std::uint64_t i = 0; i < bytes; ++i) assign(to + i, 1, bits[i]);
}

}  // namespace gridstride::sim
