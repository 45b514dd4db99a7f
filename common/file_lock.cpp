// See the header.
#include "common/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <functional>
#include <system_error>

namespace gridstride {

UniqueFd lock_file(const std::filesystem::path& file, const std::function<void()>& on_wait) {
  UniqueFd held(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (held && on_wait) {
    if (::flock(held.get(), LOCK_EX | LOCK_NB) == 0) return held;
    if (errno == EWOULDBLOCK) on_wait();
  }
  while (held && ::flock(held.get(), LOCK_EX) != 0) {
    if (const int error = errno; error != EINTR)
      throw std::system_error(error, std::generic_category(), "cannot lock " + file.string());
  }
  if (!held)
    throw std::system_error(errno, std::generic_category(), "cannot lock " + file.string());
  return held;
}

}  // namespace gridstride
