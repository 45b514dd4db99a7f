// Where the course, its build folder and its programs are.
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "common/paths.h"
#include "grader/cli/command.h"

namespace gridstride::cli {

std::filesystem::path Places::tree() const { return source_tree(); }

std::filesystem::path Places::build() const { return build_folder(); }

std::filesystem::path Places::program(const std::string& name) const {
  const std::filesystem::path path = build() / "bin" / name;
  if (::access(path.c_str(), X_OK) != 0)
    throw std::runtime_error(path.string() +
                             " has not been built. Run the command through ./lab and without "
                             "--no-build.");
  return path;
}

}  // namespace gridstride::cli
