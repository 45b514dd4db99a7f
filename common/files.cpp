// Files written by rename, read without surprises.
#include "common/files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <mutex>
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

UniqueFd open_folder(const std::filesystem::path& folder) {
  return UniqueFd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
}

bool is_temporary(const std::string& name) {
  constexpr std::string_view ours = "gridstride-", drawn = "-XXXXXX";
  return name.starts_with(ours) && name.size() + 1 >= ours.size() + drawn.size() &&
         name[name.size() - drawn.size()] == '-';
}

/// Folders of this user in `place` whose process was killed. A folder is locked just after it was made, so young ones are
/// left alone.
void remove_abandoned(const std::filesystem::path& place) {
  constexpr std::time_t old = 24 * 60 * 60;
  std::error_code error, ignored;
  for (std::filesystem::directory_iterator at(place, error), end; !error && at != end;
       at.increment(error)) {
    if (!is_temporary(at->path().filename().string())) continue;
    const UniqueFd folder = open_folder(at->path());
    struct stat status {};
    const bool is_ours =
        folder && ::fstat(folder.get(), &status) == 0 && status.st_uid == ::geteuid();
    if (!is_ours || status.st_mtime > std::time(nullptr) - old) continue;
    if (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) continue;  // its process lives
    std::filesystem::remove_all(at->path(), ignored);
  }
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
  static std::once_flag looked;
  std::call_once(looked, remove_abandoned, place);
  std::string name = (place / (prefix + "XXXXXX")).string();
  const EndingSignalsWait until_it_is_listed;
  if (::mkdtemp(name.data()) == nullptr) fail("cannot make a temporary folder", name, errno);
  path_ = name;
  lock_ = open_folder(path_);
  ::flock(lock_.get(), LOCK_SH | LOCK_NB);
  remove_on_signal(name);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  removed_otherwise(path_.string());
}

}  // namespace gridstride
