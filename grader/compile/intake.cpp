// Nothing but plain files is opened: a FIFO would block, a link could lead anywhere.
#include "grader/compile/intake.h"

#include <sys/stat.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/files.h"
#include "grader/compile/stage_files.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

const char* kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFLNK:
      return "a link";
    case S_IFDIR:
      return "a folder";
    case S_IFIFO:
      return "a FIFO";
    case S_IFSOCK:
      return "a socket";
    default:
      return "a device";
  }
}

std::string text_of_file(const fs::path& file) {
  std::string refusal = refusal_of(file);
  if (refusal.empty()) {
    try {
      return read_file(file, largest_stage_bytes);
    } catch (const std::exception&) {
      refusal = file.filename().string() + " cannot be read.";
    }
  }
  return "#error \"" + refusal + "\"\n";
}

/// The text of a copy; nothing where there is none, or something else in its place.
std::optional<std::string> copied(const fs::path& copy) {
  try {
    return read_file(copy, largest_stage_bytes);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::string refusal_of(const fs::path& file) {
  const std::string name = file.filename().string();
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0) return name + " is missing.";
  if (!S_ISREG(status.st_mode))
    return name + " is " + kind_of(status.st_mode) + ", not a plain file.";
  if (static_cast<std::uintmax_t>(status.st_size) > largest_stage_bytes)
    return name + " is larger than 1 MiB, which no stage needs to be.";
  return {};
}

void take_in(const fs::path& from, const fs::path& to, const std::vector<std::string>& stages) {
  fs::create_directories(to);
  for (const std::string& stage : stages) {
    const std::string text = text_of_file(from / (stage + ".cu"));
    const fs::path copy = to / (stage + ".cu");
    if (copied(copy) != text) write_file(copy, text);
  }
}

}  // namespace gridstride
