// Students hand in one lab's files, or a folder for each lab.
#include "grader/cli/handed_in.h"

#include <filesystem>
#include <string>
#include <system_error>

namespace gridstride::cli {
namespace fs = std::filesystem;

fs::path handed_in_for(const std::string& lab, const fs::path& from) {
  const fs::path folder = fs::absolute(from).lexically_normal();
  std::error_code missing;
  return fs::is_directory(fs::symlink_status(folder / lab, missing)) ? folder / lab : folder;
}

fs::path stages_folder(const std::string& lab, const GradeOptions& options, const fs::path& tree) {
  if (!options.from.empty()) return handed_in_for(lab, options.from);
  return tree / (options.solutions ? "solutions" : "labs") / lab;
}

}  // namespace gridstride::cli
