// Dick Grune's similarity tester (Debian's similarity-tester): how much of one C++ text stands in another,
// whatever names, numbers, layout and comments it has there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gridstride {

/// How much of each of several texts stands in each other.
class Shares {
 public:
  explicit Shares(std::size_t texts) : texts_(texts), percent_(texts * texts) {}
  /// Percent of `text` that stands in `other`.
  std::uint8_t& of(std::size_t text, std::size_t other) { return percent_[text * texts_ + other]; }
  std::uint8_t of(std::size_t text, std::size_t other) const {
    return percent_[text * texts_ + other];
  }

 private:
  std::size_t texts_;
  std::vector<std::uint8_t> percent_;
};

/// Lines that are alike, from 1, the last included.
struct AlikeLines {
  std::size_t first_begin = 0, first_end = 0;    ///< of the first text
  std::size_t second_begin = 0, second_end = 0;  ///< of the second
};

class SimilarityTester {
 public:
  /// Throws std::runtime_error with the repair where the program is missing.
  SimilarityTester();

  /// `texts` are as OwnText has them. It takes a time that grows with the square of their number.
  Shares compare(const std::vector<std::string>& texts) const;
  /// The longest first.
  std::vector<AlikeLines> alike(const std::string& first, const std::string& second) const;

 private:
  std::filesystem::path program_;
};

}  // namespace gridstride
