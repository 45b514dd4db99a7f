// See print_buffer.h.
#include "common/simulator/device_runtime/print_buffer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace gridstride::sim {

void PrintBuffer::set_capacity(std::uint64_t bytes) {
  capacity_ = std::min(bytes, most_bytes);
  make_room();
}

void PrintBuffer::add(std::string text) {
  used_ += call_bytes + text.size();
  calls_.push_back(std::move(text));
  make_room();
}

void PrintBuffer::make_room() {
  while (used_ > capacity_) {
    used_ -= call_bytes + calls_.front().size();
    calls_.pop_front();
    ++lost_;
  }
}

std::string PrintBuffer::take() {
  std::string text;
  if (lost_ != 0) {
    text = fmt::format(
        "(the device's buffer for printf, {} bytes, was too small: the first {} calls have been "
        "overwritten; cudaLimitPrintfFifoSize)\n",
        capacity_, lost_);
  }
  for (const std::string& call : calls_) text += call;
  calls_.clear();
  used_ = lost_ = 0;
  return text;
}

}  // namespace gridstride::sim
