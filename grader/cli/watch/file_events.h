// Which files are saved: told by the kernel, not asked for.
#pragma once

#include <filesystem>
#include <map>
#include <vector>

#include "common/unique_fd.h"

namespace gridstride::cli {

/// Files that are written in folders, whether an editor writes them in place or renames a new one to
/// their name.
class FileEvents {
 public:
  /// Throws std::runtime_error with the repair when the kernel has no more watches to give.
  explicit FileEvents(const std::vector<std::filesystem::path>& folders);

  /// Becomes readable when something has been saved.
  int fd() const { return inotify_.get(); }
  /// What has been saved since, each once; never blocks. Where the kernel has lost events, all
  /// folders, for anything in them may have been.
  std::vector<std::filesystem::path> take();

 private:
  void watch(const std::filesystem::path& folder);

  UniqueFd inotify_;
  std::map<int, std::filesystem::path> folders_;  ///< by watch
};

}  // namespace gridstride::cli
