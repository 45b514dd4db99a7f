// What a file system claims to have free is not what it gives: quotas, reserved blocks, inodes.
#include "grader/compile/room.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "common/unique_fd.h"

namespace gridstride {
namespace {

std::string mebibytes(std::uint64_t bytes) {
  return std::to_string((bytes + (1u << 20) - 1) >> 20) + " MiB";
}

}  // namespace

std::string lack_of_room(const std::filesystem::path& folder, std::uint64_t bytes) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  std::string name = (folder / "room.XXXXXX").string();
  const UniqueFd file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file)
    return "Nothing can be written into " + folder.string() + ": " + std::strerror(errno) +
           ". Repair: see that it is a folder, that it is yours to write to, and that its disk is "
           "not full.";
  ::unlink(name.c_str());
  int error = 0;
  do {
    error = ::posix_fallocate(file.get(), 0, static_cast<off_t>(bytes));
  } while (error == EINTR);
  if (error == 0) return {};
  return "The disk of " + folder.string() + " has no room for a file of " + mebibytes(bytes) +
         ", which a compiler must be able to write there: " + std::strerror(error) +
         ". Repair: make room on it.";
}

}  // namespace gridstride
