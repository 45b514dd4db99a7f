// inotify on folders: a watch on a file would follow the old file when an editor replaces it.
#include "grader/cli/watch/file_events.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace gridstride::cli {
namespace fs = std::filesystem;

namespace {

constexpr std::uint32_t saves = IN_CLOSE_WRITE | IN_MOVED_TO;
constexpr std::uint32_t arrivals = IN_CREATE | IN_MOVED_TO;

}  // namespace

FileEvents::FileEvents(const std::vector<fs::path>& folders)
    : inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)),
      folders_(folders.begin(), folders.end()) {
  if (!inotify_)
    throw std::runtime_error(std::string("Saved files cannot be watched: ") + std::strerror(errno) +
                             ". Repair: end other programs that watch files, or raise "
                             "/proc/sys/fs/inotify/max_user_instances.");
  for (const fs::path& folder : folders) {
    watch(folder.parent_path(), arrivals);
    watch(folder, saves);
  }
}

void FileEvents::watch(const fs::path& folder, std::uint32_t events) {
  const int id = ::inotify_add_watch(inotify_.get(), folder.c_str(), events | IN_ONLYDIR);
  if (id >= 0) {
    watched_[id] = folder;
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
      if ((event->mask & IN_Q_OVERFLOW) != 0) saved.insert(folders_.begin(), folders_.end());
      const auto found = watched_.find(event->wd);
      if (found == watched_.end()) continue;
      if ((event->mask & IN_IGNORED) != 0) {
        watched_.erase(found);  // the folder is gone
      } else if (event->len > 0) {
        const fs::path path = found->second / event->name;
        if (folders_.contains(path)) watch(path, saves);  // one has come, perhaps in its place
        if (folders_.contains(path) || folders_.contains(found->second)) saved.insert(path);
      }
    }
  }
  return {saved.begin(), saved.end()};
}

}  // namespace gridstride::cli
