// What a command of the build writes: first into a scratch folder, then, finished, to its place.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gridstride {

class Outputs {
 public:
  /// Changes `command` so that what it writes goes to `scratch`: the object or library (-o), the
  /// list of headers (-MF) and the linker's list of its inputs (--dependency-file, in each way in
  /// which a linker's option is handed through a compiler). Throws std::runtime_error without -o.
  Outputs(std::vector<std::string>& command, const std::filesystem::path& scratch);

  /// Has the list of headers name `files` and nothing else, where there is one: the build reads it.
  void rewrite_header_list(const std::vector<std::filesystem::path>& files) const;
  /// Puts all that was written where the build wants it; the last step of each is a rename, so that
  /// no half file is seen. Throws std::runtime_error that names the file, the reason, the repair.
  void deliver() const;

  /// The object or library, in the scratch folder.
  const std::filesystem::path& product() const { return files_.front().written; }
  /// The list of headers, in the scratch folder; empty where the command has no -MF.
  std::filesystem::path header_list() const;
  /// The folder where the build wants it.
  std::filesystem::path folder() const;

 private:
  struct File {
    std::filesystem::path written, wanted;
    bool always;  ///< written by every command that succeeds
  };
  void redirect(std::string& path, const char* name, bool always);
  void redirect_linker_list(std::vector<std::string>& command);

  std::filesystem::path scratch_;
  std::vector<File> files_;  ///< the product first
};

}  // namespace gridstride
