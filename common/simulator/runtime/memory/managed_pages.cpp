// One bit for each page that a device address can lie in.
#include "common/simulator/runtime/memory/managed_pages.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "common/simulator/runtime/memory/host_range.h"

namespace gridstride::sim {
namespace {

using Word = std::uint64_t;
constexpr std::uint64_t word_bits = 64;
constexpr std::uint64_t page_count = device_range_bytes / host_page;

// 32 MiB of zeros that are never written, and so take no memory, where there is no managed memory.
std::atomic<Word> words[page_count / word_bits];
static_assert(std::atomic<Word>::is_always_lock_free, "a signal handler reads them");

std::uint64_t page_of(DeviceAddress address) {
  return (address - first_device_address) / host_page;
}

}  // namespace

void set_managed_pages(DeviceAddress begin, std::uint64_t bytes, bool managed) {
  const std::uint64_t end = page_of(begin) + bytes / host_page;
  for (std::uint64_t page = page_of(begin); page < end;) {
    const std::uint64_t in_word = page % word_bits;
    const std::uint64_t count = std::min(word_bits - in_word, end - page);
    const Word bits = ~Word{0} >> (word_bits - count) << in_word;
    std::atomic<Word>& word = words[page / word_bits];
    if (managed) {
      word.fetch_or(bits, std::memory_order_release);
    } else {
      word.fetch_and(~bits, std::memory_order_release);
    }
    page += count;
  }
}

bool is_managed_page(DeviceAddress address) noexcept {
  if (!is_in_device_range(address)) return false;
  const std::uint64_t page = page_of(address);
  const Word word = words[page / word_bits].load(std::memory_order_acquire);
  return (word >> page % word_bits & 1) != 0;
}

}  // namespace gridstride::sim
