// Files written by rename, read without surprises.
#include "common/files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "common/removed_on_signal.h"
#include "common/unique_fd.h"

namespace gridstride {
namespace {

[[noreturn]] void fail(const char* what, const std::filesystem::path& file, int error) {
  throw std::runtime_error(std::string(what) + " " + file.string() + ": " + std::strerror(error));
}

void write_all(int fd, std::string_view contents, const std::filesystem::path& file) {
  while (!contents.empty()) {
    const ssize_t written = ::write(fd, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write", file, errno);
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Asking for it changes it for a moment, which threads must not do to each other.
mode_t mask_of_process() {
  static const mode_t mask = [] {
    const mode_t asked = ::umask(0);
    ::umask(asked);
    return asked;
  }();
  return mask;
}

}  // namespace

void write_file(const std::filesystem::path& target, std::string_view contents) {
  std::string draft = target.string() + ".XXXXXX";
  UniqueFd fd(::mkostemp(draft.data(), O_CLOEXEC));
  if (!fd) fail("cannot write", target, errno);
  try {
    write_all(fd.get(), contents, target);
    // mkostemp makes files private; what a grader writes is for others to read, as umask allows.
    if (::fchmod(fd.get(), 0666 & ~mask_of_process()) != 0 || ::fsync(fd.get()) != 0)
      fail("cannot write", target, errno);
    if (::rename(draft.c_str(), target.c_str()) != 0) fail("cannot write", target, errno);
  } catch (...) {
    ::unlink(draft.c_str());
    throw;
  }
}

std::string read_file(const std::filesystem::path& file, std::size_t limit) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd) fail("cannot read", file, errno);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) fail("cannot read", file, errno);
  if (!S_ISREG(status.st_mode))
    throw std::runtime_error("cannot read " + file.string() + ": not a plain file");
  std::string contents;
  std::vector<char> chunk(64 << 10);
  while (contents.size() < limit) {
    const ssize_t count =
        ::read(fd.get(), chunk.data(), std::min(chunk.size(), limit - contents.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot read", file, errno);
    if (count == 0) break;
    contents.append(chunk.data(), static_cast<std::size_t>(count));
  }
  return contents;
}

TemporaryFolder::TemporaryFolder(const std::string& prefix) {
  std::error_code missing;
  const std::filesystem::path place = std::filesystem::temp_directory_path(missing);
  if (missing) {
    const char* named = std::getenv("TMPDIR");
    throw std::runtime_error(std::string("there is no folder ") +
                             (named == nullptr ? "/tmp" : named) + " for temporary files: " +
                             missing.message() + ". Repair: make it, or name another in TMPDIR.");
  }
  std::string name = (place / (prefix + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) fail("cannot make a temporary folder", name, errno);
  path_ = name;
  remove_on_signal(name);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  removed_otherwise(path_.string());
}

}  // namespace gridstride
