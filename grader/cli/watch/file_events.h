// Which files are saved: told by the kernel, not asked for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
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
  /// What has been saved since, each once; never blocks. A folder itself where anything in it may have
  /// been: when another has taken its place, as version control can do it, and all of them when the
  /// kernel has lost events.
  std::vector<std::filesystem::path> take();

 private:
  void watch(const std::filesystem::path& folder, std::uint32_t events);

  UniqueFd inotify_;
  std::set<std::filesystem::path> folders_;
  std::map<int, std::filesystem::path> watched_;  ///< by watch: folders, and what holds them
};

}  // namespace gridstride::cli
