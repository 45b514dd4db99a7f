// Each thread has a part of its own, and waits at a barrier for the next copy.
#include "common/simulator/gpu/parallel_copy.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

namespace gridstride::sim {
namespace {

/// Of fewer bytes, waking the others takes longer than the copy.
constexpr std::size_t worth_it = std::size_t{1} << 20;

}  // namespace

ParallelCopy::ParallelCopy(std::size_t threads)
    : parts_(std::max<std::size_t>(threads, 1)),
      begin_(static_cast<std::ptrdiff_t>(parts_)),
      end_(static_cast<std::ptrdiff_t>(parts_)) {
  try {
    for (std::size_t part = 1; part < parts_; ++part)
      helpers_.emplace_back([this, part] { help(part); });
  } catch (...) {  // those that are there wait for the others
    ending_ = true;
    (void)begin_.arrive(static_cast<std::ptrdiff_t>(parts_ - helpers_.size()));
    throw;
  }
}

ParallelCopy::~ParallelCopy() {
  ending_ = true;
  begin_.arrive_and_wait();
}

void ParallelCopy::help(std::size_t part) {
  for (;;) {
    begin_.arrive_and_wait();
    if (ending_) return;
    copy_part(part);
    end_.arrive_and_wait();
  }
}

void ParallelCopy::copy_part(std::size_t part) const {
  const std::size_t each = from_.size() / parts_, begin = part * each;
  const std::size_t bytes = part + 1 < parts_ ? each : from_.size() - begin;
  std::memcpy(to_.data() + begin, from_.data() + begin, bytes);
}

void ParallelCopy::copy(std::span<std::byte> to, std::span<const std::byte> from) {
  if (parts_ == 1 || from.size() < worth_it) {
    if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
    return;
  }
  to_ = to;
  from_ = from;
  begin_.arrive_and_wait();
  copy_part(0);
  end_.arrive_and_wait();
}

}  // namespace gridstride::sim
