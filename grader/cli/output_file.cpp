// Where output goes, looked at beforehand.
#include "grader/cli/output_file.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <ios>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/files.h"
#include "grader/cli/command.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

/// What people write, and no command does.
bool is_source_text(const fs::path& file) {
  constexpr std::array<std::string_view, 7> endings = {".cu", ".cuh", ".h",  ".hpp",
                                                       ".c",  ".cc",  ".cpp"};
  return std::ranges::find(endings, file.extension().string()) != endings.end();
}

}  // namespace

void check_writable(const std::string& file) {
  if (file.empty()) return;
  const fs::path path = fs::absolute(file);
  if (fs::is_directory(path)) throw UsageError(file + " is a folder; name a file.");
  if (fs::exists(path) && is_source_text(path))
    throw UsageError(file + " is a source: nothing else is written there. Name another file.");
  if (!fs::is_directory(path.parent_path()))
    throw UsageError("There is no folder " + path.parent_path().string() + " to write " +
                     path.filename().string() + " into.");
  // A device or a pipe is written to where it is: its folder may be root's.
  if (fs::is_other(fs::status(path))) return;
  if (::access(path.parent_path().c_str(), W_OK) != 0)
    throw std::runtime_error("The folder " + path.parent_path().string() +
                             " cannot be written to: choose another place for " +
                             path.filename().string() + ".");
}

void check_all_writable(const std::vector<std::string>& files) {
  std::set<fs::path> seen;
  for (const std::string& file : files) {
    check_writable(file);
    const fs::path path = file.empty() ? fs::path() : fs::weakly_canonical(fs::absolute(file));
    if (!file.empty() && !fs::is_other(fs::status(path)) && !seen.insert(path).second)
      throw UsageError(file + " is named twice: each result wants a file of its own.");
  }
}

void write_output(const std::string& file, std::string_view contents) {
  if (file.empty()) return;
  if (!fs::is_other(fs::status(file))) return write_file(fs::weakly_canonical(file), contents);
  std::ofstream stream(file, std::ios::binary);
  stream.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  if (!stream.flush())
    throw std::runtime_error("cannot write " + file + ": is it full, or not yours to write to?");
}

}  // namespace gridstride::cli
