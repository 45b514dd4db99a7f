// Which bytes of a memory are initialised: one bit each, set when the byte is written.
//
// What is not initialised holds anything on the hardware. Room for the bits is taken as they are
// set.
#pragma once

#include <cstdint>
#include <cstring>

namespace gridstride::sim {

class InitialisedBytes {
 public:
  /// Of `bytes` bytes, none initialised.
  explicit InitialisedBytes(std::uint64_t bytes);
  ~InitialisedBytes();
  InitialisedBytes(const InitialisedBytes&) = delete;
  InitialisedBytes& operator=(const InitialisedBytes&) = delete;

  void set(std::uint64_t offset, std::uint64_t bytes) { assign(offset, bytes, true); }
  void clear(std::uint64_t offset, std::uint64_t bytes) { assign(offset, bytes, false); }
  /// True when all of them are.
  bool all(std::uint64_t offset, std::uint64_t bytes) const;
  /// The same for at most 16 bytes, which is what a lane accesses.
  bool all_of_lane(std::uint64_t offset, std::uint32_t bytes) const {
    const std::uint32_t mask = ((1u << bytes) - 1) << (offset % 8);
    return (word(offset) & mask) == mask;
  }
  /// Those of at most 16 that are not: bit i for byte offset + i.
  std::uint32_t missing_of_lane(std::uint64_t offset, std::uint32_t bytes) const {
    return ~(word(offset) >> offset % 8) & ((1u << bytes) - 1);
  }
  void set_lane(std::uint64_t offset, std::uint32_t bytes) {
    const std::uint32_t value = word(offset) | ((1u << bytes) - 1) << (offset % 8);
    std::memcpy(bits_ + offset / 8, &value, sizeof value);
  }
  /// Bit i of `bytes`, of 16 at most, for byte offset + i.
  void clear_of_lane(std::uint64_t offset, std::uint32_t bytes) {
    const std::uint32_t value = word(offset) & ~(bytes << offset % 8);
    std::memcpy(bits_ + offset / 8, &value, sizeof value);
  }
  /// As memmove does with the bytes themselves.
  void copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);

 private:
  std::uint32_t word(std::uint64_t offset) const {
    std::uint32_t value;
    std::memcpy(&value, bits_ + offset / 8, sizeof value);
    return value;
  }
  void assign(std::uint64_t offset, std::uint64_t bytes, bool value);

  std::uint64_t size_ = 0;  ///< of the bits, in bytes
  std::uint8_t* bits_ = nullptr;
};

}  // namespace gridstride::sim
