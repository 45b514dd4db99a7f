// Files as a grader handles them: written whole or not at all, temporary folders that go away.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "common/unique_fd.h"

namespace gridstride {

/// Writes `contents` beside `target`, then renames it there, so that a reader sees the old file or
/// the whole new one, whatever stops the writer (a full disk, Ctrl-C). The folder must exist.
/// Throws std::runtime_error naming the file and the system's reason; nothing is left behind then.
void write_file(const std::filesystem::path& target, std::string_view contents);

/// The whole file, at most `limit` bytes of it. Follows no symbolic link in the last component and
/// refuses what is not a plain file (a FIFO would block). Throws std::runtime_error.
std::string read_file(const std::filesystem::path& file, std::size_t limit = 16u << 20);

/// A new folder under the system's place for temporary files, removed with all it holds at the end: a signal's too. One
/// whose process was killed is removed a day later, by the next process of this user that makes one.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& prefix = "gridstride-");
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  UniqueFd lock_;  ///< of the folder, for as long as its owner lives
};

}  // namespace gridstride
