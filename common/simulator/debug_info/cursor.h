// Reads numbers and texts of a section one after another, never beyond its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace gridstride::sim {

/// A section ends in the middle of something, or says what cannot be.
class BadDebugInfo : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Cursor {
 public:
  /// `at` beyond the end throws BadDebugInfo, as every other read beyond it does.
  explicit Cursor(std::span<const std::uint8_t> bytes, std::uint64_t at = 0) : bytes_(bytes) {
    skip(at);
  }

  std::size_t position() const { return at_; }
  bool at_end() const { return at_ == bytes_.size(); }

  void skip(std::uint64_t bytes) {
    if (bytes > bytes_.size() - at_) throw BadDebugInfo("a section ends too early");
    at_ += static_cast<std::size_t>(bytes);
  }

  /// Little endian, of 1 to 8 bytes.
  std::uint64_t number(std::size_t bytes) {
    const std::size_t from = at_;
    skip(bytes);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      value |= static_cast<std::uint64_t>(bytes_[from + i]) << 8 * i;
    return value;
  }

  /// ULEB128; what does not fit into 64 bits is lost.
  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint64_t byte = number(1);
      if (shift < 64) value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }

  std::int64_t sleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const std::uint64_t byte = number(1);
      if (shift < 64) value |= (byte & 0x7f) << shift;
      shift += 7;
      if ((byte & 0x80) != 0) continue;
      if (shift < 64 && (byte & 0x40) != 0) value |= ~std::uint64_t{0} << shift;
      return static_cast<std::int64_t>(value);
    }
  }

  /// Up to its NUL.
  std::string text() {
    std::string all;
    while (const std::uint64_t c = number(1)) all += static_cast<char>(c);
    return all;
  }

  std::span<const std::uint8_t> block(std::uint64_t bytes) {
    const std::size_t from = at_;
    skip(bytes);
    return bytes_.subspan(from, static_cast<std::size_t>(bytes));
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

}  // namespace gridstride::sim
