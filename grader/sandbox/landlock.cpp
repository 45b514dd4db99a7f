// By system calls: the C library has no functions for them.
#include "grader/sandbox/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "common/unique_fd.h"

namespace gridstride {
namespace {

// Of later versions than the oldest headers that we are built with.
constexpr std::uint64_t refer = 1u << 13, truncate = 1u << 14;

constexpr std::uint64_t write_to_files = LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr std::uint64_t change_folders =
    LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

/// Each of these drops what it is given. /dev/shm is not among them, nor is a GPU (nvidia0, dxg).
constexpr const char* devices[] = {"null", "zero", "full", "tty", "random", "urandom"};

int version() {
  return static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
}

/// What is not there cannot be written to.
bool allow(int rules, int folder, const char* path, std::uint64_t access) {
  const UniqueFd file(::openat(folder, path, O_PATH | O_CLOEXEC));
  if (!file) return true;
  landlock_path_beneath_attr rule{};
  rule.allowed_access = access;
  rule.parent_fd = file.get();
  return ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

bool allow_devices(int rules, std::uint64_t access) {
  const UniqueFd folder(::open("/dev", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return true;
  bool allowed = true;
  for (const char* device : devices) allowed &= allow(rules, folder.get(), device, access);
  return allowed;
}

}  // namespace

bool has_landlock() { return version() > 0; }

bool write_only_in(const char* const* folders) {
  const int known = version();
  if (known <= 0) return true;
  const std::uint64_t files = write_to_files | (known >= 3 ? truncate : 0);
  const std::uint64_t all = files | change_folders | (known >= 2 ? refer : 0);
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = all;
  const UniqueFd rules(static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes.handled_access_fs, 0)));
  if (!rules || !allow_devices(rules.get(), files)) return false;
  for (; *folders != nullptr; ++folders) {
    if (!allow(rules.get(), AT_FDCWD, *folders, all)) return false;
  }
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_landlock_restrict_self, rules.get(), 0) == 0;
}

}  // namespace gridstride
