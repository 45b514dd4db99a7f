// SHA-256: names texts, submissions and versions of the course by what they hold.
//
// FIPS 180-4, section 6.2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gridstride {

class Sha256 {
 public:
  void add(std::string_view bytes);
  /// Bytes with their number before them, so that "ab", "c" and "a", "bc" differ.
  void add_part(std::string_view bytes);
  /// Of all that was added, 64 hexadecimal digits. Nothing can be added afterwards.
  std::string digits();

 private:
  void block(const unsigned char* bytes);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  std::uint64_t size_ = 0;  ///< bytes that were added
};

std::string sha256(std::string_view bytes);

}  // namespace gridstride
