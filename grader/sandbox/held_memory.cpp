// Reads /proc/<id>/status, maps and fd.
#include "grader/sandbox/held_memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/unique_fd.h"

namespace gridstride {
namespace {

/// Device and inode.
using Object = std::pair<dev_t, ino_t>;

class Count {
 public:
  void add(pid_t process) {
    const std::string folder = "/proc/" + std::to_string(process) + "/";
    add_status(folder + "status");
    add_mappings(folder + "maps");
    add_nameless_files(folder + "fd");
  }

  std::uint64_t bytes() const {
    std::uint64_t objects = 0;
    for (const auto& [object, size] : objects_) objects += size;
    return own_ + std::max(objects, resident_shared_);
  }

 private:
  void add_status(const std::string& path) {
    each_line(path, [this](const char* line) {
      const std::string_view text = line;
      const std::string_view field = text.substr(0, text.find(':'));
      const bool shared = field == "RssShmem";
      const bool own =
          field == "RssAnon" || field == "RssFile" || field == "VmSwap" || field == "HugetlbPages";
      std::uint64_t kib = 0;
      if ((!shared && !own) || std::sscanf(line, "%*[^:]: %" SCNu64 " kB", &kib) != 1) return;
      (shared ? resident_shared_ : own_) += kib << 10;
    });
  }

  void add_mappings(const std::string& path) {
    each_line(path, [this](const char* line) {
      if (!is_shared_memory(line)) return;
      std::uint64_t begin = 0, end = 0, offset = 0, inode = 0;
      unsigned major_number = 0, minor_number = 0;
      const int fields = std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64,
                                     &begin, &end, &offset, &major_number, &minor_number, &inode);
      if (fields == 6 && inode != 0)
        grow({makedev(major_number, minor_number), inode}, offset + (end - begin));
    });
  }

  void add_nameless_files(const std::string& path) {
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
    if (!folder) return;
    while (const dirent* entry = ::readdir(folder.get())) {
      struct stat file {};
      if (::fstatat(::dirfd(folder.get()), entry->d_name, &file, 0) == 0 && S_ISREG(file.st_mode) &&
          file.st_nlink == 0)
        grow({file.st_dev, file.st_ino}, static_cast<std::uint64_t>(file.st_blocks) * 512);
    }
  }

  void grow(const Object& object, std::uint64_t bytes) {
    std::uint64_t& size = objects_[object];
    size = std::max(size, bytes);
  }

  template <class Visit>
  void each_line(const std::string& path, Visit visit) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return;
    std::size_t kept = 0;
    while (kept < text_.size() - 1) {
      const ssize_t count = ::read(file.get(), text_.data() + kept, text_.size() - 1 - kept);
      if (count <= 0) return;
      const std::size_t size = kept + static_cast<std::size_t>(count);
      std::size_t begin = 0;
      for (std::size_t at = kept; at < size; ++at) {
        if (text_[at] != '\n') continue;
        text_[at] = 0;
        visit(text_.data() + begin);
        begin = at + 1;
      }
      if (begin == 0 && size == text_.size() - 1) begin = size;  // no line of theirs is that long
      kept = size - begin;
      std::copy_n(text_.begin() + static_cast<std::ptrdiff_t>(begin), kept, text_.begin());
    }
  }

  std::uint64_t own_ = 0, resident_shared_ = 0;
  std::map<Object, std::uint64_t> objects_;
  std::array<char, 32768> text_;
};

}  // namespace

bool is_shared_memory(std::string_view line) {
  const std::string_view name = line.substr(std::min(line.find_first_of("/["), line.size()));
  constexpr std::string_view names[] = {"/dev/zero (deleted)", "[anon_shmem:", "/memfd:", "/SYSV"};
  return std::ranges::any_of(names,
                             [name](std::string_view known) { return name.starts_with(known); });
}

std::uint64_t held_memory(const std::vector<pid_t>& processes) {
  Count count;
  for (const pid_t process : processes) count.add(process);
  return count.bytes();
}

}  // namespace gridstride
