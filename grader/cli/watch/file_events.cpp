// inotify on folders: a watch on a file would follow the old file when an editor replaces it.
#include "grader/cli/watch/file_events.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace gridstride::cli {
namespace fs = std::filesystem;

FileEvents::FileEvents(const std::vector<fs::path>& folders)
    : inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  if (!inotify_)
    throw std::runtime_error(std::string("Saved files cannot be watched: ") + std::strerror(errno) +
                             ". Repair: end other programs that watch files, or raise "
                             "/proc/sys/fs/inotify/max_user_instances.");
  for (const fs::path& folder : folders) watch(folder);
}

void FileEvents::watch(const fs::path& folder) {
  const int id = ::inotify_add_watch(inotify_.get(), folder.c_str(),
                                     IN_CLOSE_WRITE | IN_MOVED_TO | IN_ONLYDIR);
  if (id >= 0) {
    folders_[id] = folder;
  } else if (errno == ENOSPC) {
    throw std::runtime_error("Saved files in " + folder.string() +
                             " cannot be watched: the kernel has no more watches to give. Repair: "
                             "raise /proc/sys/fs/inotify/max_user_watches.");
  } else if (errno != ENOENT && errno != ENOTDIR) {
    throw std::runtime_error("Saved files in " + folder.string() +
                             " cannot be watched: " + std::strerror(errno));
  }
}

std::vector<fs::path> FileEvents::take() {
  std::set<fs::path> saved;
  alignas(inotify_event) std::array<char, 16384> buffer;
  for (;;) {
    const ssize_t count = ::read(inotify_.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    const char* const end = buffer.data() + count;
    for (const char* at = buffer.data(); at < end;) {
      const auto* const event = reinterpret_cast<const inotify_event*>(at);
      at += sizeof(inotify_event) + event->len;
      if ((event->mask & IN_Q_OVERFLOW) != 0) {
        for (const auto& [id, folder] : folders_) saved.insert(folder);
        continue;
      }
      const auto found = folders_.find(event->wd);
      if (found == folders_.end()) continue;
      const fs::path folder = found->second;
      if ((event->mask & IN_IGNORED) != 0) {  // the folder is gone; perhaps another has its name
        folders_.erase(found);
        watch(folder);
      } else if (event->len > 0) {
        saved.insert(folder / event->name);
      }
    }
  }
  return {saved.begin(), saved.end()};
}

}  // namespace gridstride::cli
