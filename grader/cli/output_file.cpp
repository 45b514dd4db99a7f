// Where output goes, looked at beforehand.
#include "grader/cli/output_file.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <ios>
#include <stdexcept>
#include <string>
#include <string_view>

#include "common/files.h"
#include "grader/cli/command.h"

namespace gridstride::cli {
namespace fs = std::filesystem;

void check_writable(const std::string& file) {
  if (file.empty()) return;
  const fs::path path = fs::absolute(file);
  if (fs::is_directory(path)) throw UsageError(file + " is a folder; name a file.");
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

void write_output(const std::string& file, std::string_view contents) {
  if (file.empty()) return;
  if (!fs::is_other(fs::status(file))) return write_file(fs::weakly_canonical(file), contents);
  std::ofstream stream(file, std::ios::binary);
  stream.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  if (!stream.flush())
    throw std::runtime_error("cannot write " + file + ": is it full, or not yours to write to?");
}

}  // namespace gridstride::cli
