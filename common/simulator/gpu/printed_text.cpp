// A file without a name in the place of a standard stream.
#include "common/simulator/gpu/printed_text.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <string>
#include <system_error>

namespace gridstride::sim {

PrintedText::PrintedText(int stream)
    : stream_(stream),
      before_(fcntl(stream, F_DUPFD_CLOEXEC, 3)),
      file_(memfd_create("printed", MFD_CLOEXEC)) {
  std::fflush(stdout);
  if (!file_ || dup2(file_.get(), stream_) < 0) {
    throw std::system_error(errno, std::generic_category(), "no room for what kernels print");
  }
}

PrintedText::~PrintedText() {
  std::fflush(stdout);
  if (before_) dup2(before_.get(), stream_);
}

std::string PrintedText::take() {
  std::fflush(stdout);
  struct stat about {};
  if (fstat(file_.get(), &about) != 0 || about.st_size == 0) return {};
  std::string text(std::min(static_cast<std::uint64_t>(about.st_size), most_bytes), '\0');
  const ssize_t got = pread(file_.get(), text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  // The next text starts at the beginning again.
  if (ftruncate(file_.get(), 0) == 0) lseek(file_.get(), 0, SEEK_SET);
  return text;
}

}  // namespace gridstride::sim
