// A memfd, sealed against shrinking.
#include "common/shared_bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace gridstride {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

SharedBytes SharedBytes::create() {
  UniqueFd fd(::memfd_create("gridstride", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) fail("no memory to share with another process");
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) fail("shared memory cannot be sealed");
  return SharedBytes(std::move(fd));
}

SharedBytes::~SharedBytes() { unmap(); }

SharedBytes::SharedBytes(SharedBytes&& other) noexcept
    : fd_(std::move(other.fd_)),
      mapped_(std::exchange(other.mapped_, nullptr)),
      mapped_bytes_(std::exchange(other.mapped_bytes_, 0)) {}

SharedBytes& SharedBytes::operator=(SharedBytes&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(mapped_, other.mapped_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
  return *this;
}

void SharedBytes::unmap() noexcept {
  if (mapped_ != nullptr) ::munmap(mapped_, mapped_bytes_);
  mapped_ = nullptr;
  mapped_bytes_ = 0;
}

std::uint64_t SharedBytes::size() const {
  struct stat about {};
  if (::fstat(fd_.get(), &about) != 0) fail("shared memory has no size");
  return static_cast<std::uint64_t>(about.st_size);
}

std::span<std::byte> SharedBytes::grow(std::uint64_t bytes) {
  if (bytes > mapped_bytes_ && bytes > size() &&
      ::ftruncate(fd_.get(), static_cast<off_t>(bytes)) != 0) {
    fail(std::to_string(bytes) + " bytes cannot be shared with another process");
  }
  return view(bytes);
}

std::span<std::byte> SharedBytes::view(std::uint64_t bytes) {
  if (bytes <= mapped_bytes_) return {mapped_, bytes};
  const std::uint64_t all = size();
  if (bytes > all) throw std::length_error("more than the other process shares");
  unmap();
  void* memory = ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
  if (memory == MAP_FAILED) fail("shared memory cannot be mapped");
  mapped_ = static_cast<std::byte*>(memory);
  mapped_bytes_ = all;
  return {mapped_, bytes};
}

}  // namespace gridstride
