// Copies in the host's memory by several cores: one core fills a GPU's link to a fifth.
#pragma once

#include <barrier>
#include <cstddef>
#include <span>
#include <thread>
#include <vector>

namespace gridstride::sim {

/// Not thread-safe.
class ParallelCopy {
 public:
  /// By so many threads, the caller's among them; by 0 as by 1. Throws std::system_error.
  explicit ParallelCopy(std::size_t threads);
  ~ParallelCopy();
  ParallelCopy(const ParallelCopy&) = delete;
  ParallelCopy& operator=(const ParallelCopy&) = delete;

  /// As std::memcpy: `to` has at least as many bytes as `from`, and they do not overlap.
  void copy(std::span<std::byte> to, std::span<const std::byte> from);

 private:
  void copy_part(std::size_t part) const;
  void help(std::size_t part);

  std::span<std::byte> to_;
  std::span<const std::byte> from_;
  std::size_t parts_;
  bool ending_ = false;
  std::barrier<> begin_, end_;  ///< of one copy
  std::vector<std::jthread> helpers_;
};

}  // namespace gridstride::sim
