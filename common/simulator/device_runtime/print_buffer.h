// What kernels print until the host waits for them: a ring of bytes as the hardware's, in which the
// newest text takes the place of the oldest (CUDA C++ Programming Guide, "Formatted Output").
#pragma once

#include <cstdint>
#include <deque>
#include <string>

namespace gridstride::sim {

class PrintBuffer {
 public:
  static constexpr std::uint64_t usual_bytes = 8'650'752;               ///< an H200's
  static constexpr std::uint64_t most_bytes = std::uint64_t{32} << 20;  ///< that it can be given
  /// A call takes its text and so many bytes. The hardware keeps format and arguments instead, by
  /// a layout that is not public.
  static constexpr std::uint64_t call_bytes = 16;

  /// cudaLimitPrintfFifoSize, at most `most_bytes`. What is inside already stays as far as it fits.
  void set_capacity(std::uint64_t bytes);
  std::uint64_t capacity() const { return capacity_; }
  /// Of it, what is inside.
  std::uint64_t used() const { return used_; }
  /// The text of one call of printf.
  void add(std::string text);
  /// All of it, which is then no longer inside; before it a line that says how much was lost.
  std::string take();

 private:
  void make_room();

  std::deque<std::string> calls_;  ///< the oldest first
  std::uint64_t capacity_ = usual_bytes, used_ = 0, lost_ = 0;
};

}  // namespace gridstride::sim
