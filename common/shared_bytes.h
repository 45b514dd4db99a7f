// Memory that two processes map: bytes that need not travel through a socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "common/unique_fd.h"

namespace gridstride {

/// A file without a name (memfd). Who has its descriptor can map it, so the descriptor is
/// close-on-exec, and is handed to the one process that is meant. It only grows, so that no access
/// meets pages that another process has taken away. Not thread-safe; movable.
class SharedBytes {
 public:
  /// New, and empty. Throws std::system_error.
  static SharedBytes create();
  /// What another process created.
  explicit SharedBytes(UniqueFd fd) : fd_(std::move(fd)) {}
  ~SharedBytes();
  SharedBytes(SharedBytes&& other) noexcept;
  SharedBytes& operator=(SharedBytes&& other) noexcept;

  int fd() const { return fd_.get(); }

  /// The first `bytes`, after making it that long. Earlier spans are no longer valid. Throws
  /// std::system_error.
  std::span<std::byte> grow(std::uint64_t bytes);
  /// The first `bytes`. Earlier spans are no longer valid. Throws std::length_error when it is not
  /// that long, std::system_error.
  std::span<std::byte> view(std::uint64_t bytes);

 private:
  std::uint64_t size() const;
  void unmap() noexcept;

  UniqueFd fd_;
  std::byte* mapped_ = nullptr;
  std::uint64_t mapped_bytes_ = 0;
};

}  // namespace gridstride
