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
#include <regex>
#include <sstream>
#include <string>
#include <system_error>

namespace gridstride::sim {

std::string shorter_assertions(const std::string& text) {
  static const std::regex words(
      R"(^(?:.*/)?([^/:]+:[0-9]+): .*: block: (\[[-0-9,]+\]), thread: (\[[-0-9,]+\]) Assertion (`.*`) failed\.$)");
  constexpr std::size_t longest = 2000;  // std::regex needs stack for each character
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    if (line.size() < longest)
      line = std::regex_replace(line, words, "$1: block $2, thread $3: the assertion $4 fails");
    out += line + "\n";
  }
  return out;
}

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
