// Linux tells a program where it is through /proc.
#include "common/paths.h"

#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace gridstride {
namespace fs = std::filesystem;

fs::path program_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

fs::path build_folder() { return program_folder().parent_path(); }

fs::path source_tree(const fs::path& start) {
  std::error_code unreadable;
  for (fs::path folder = start;; folder = folder.parent_path()) {
    if (fs::is_directory(folder / "labs", unreadable) &&
        (fs::exists(folder / "CMakePresets.json", unreadable) ||
         fs::exists(folder / "handout.json", unreadable)))
      return folder;
    if (folder == folder.parent_path()) break;
  }
  throw std::runtime_error("The course's files were not found above " + start.string() +
                           ". Keep the build folder inside the course's tree (build/<name>/).");
}

}  // namespace gridstride
