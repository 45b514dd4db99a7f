// libseccomp writes the program; bubblewrap or the supervisor hands it to the kernel.
#include "grader/sandbox/system_calls.h"

#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>

#include "common/unique_fd.h"
#include "grader/sandbox/sandbox.h"

#ifdef GRIDSTRIDE_HAS_SECCOMP
#include <seccomp.h>

namespace gridstride {
namespace {

/// Compilers and stages do not need these. By name: a libseccomp that does not know one yet, or an
/// architecture that has it not, leaves it out.
const char* const refused[] = {
    // Memory that belongs to no process, and what is under way in a socket.
    "shmget", "shmat", "shmctl", "msgget", "msgsnd", "msgctl", "semget", "semctl", "mq_open",
    "memfd_secret", "memfd_create", "socket", "socketpair",
    // Namespaces and file systems, in which there would be places for files in memory.
    "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree",
    "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "open_by_handle_at",
    // Other processes.
    "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "process_madvise", "kcmp",
    // The kernel itself.
    "io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "userfaultfd",
    "perf_event_open", "add_key", "request_key", "keyctl", "fanotify_init", "kexec_load",
    "kexec_file_load", "init_module", "finit_module", "delete_module", "swapon", "swapoff",
    "reboot", "acct", "quotactl", "quotactl_fd", "syslog", "vmsplice"};

constexpr std::uint32_t namespace_flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC |
                                          CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWUTS |
                                          CLONE_NEWCGROUP;

class Filter {
 public:
  Filter() : context_(::seccomp_init(SCMP_ACT_ALLOW), ::seccomp_release) {
    if (!context_) throw SandboxError("libseccomp cannot make a filter: out of memory?");
  }

  void refuse(const char* name, int error = EPERM, std::initializer_list<scmp_arg_cmp> where = {}) {
    const int number = ::seccomp_syscall_resolve_name(name);
    if (number < 0) return;  // not on this architecture
    const int failed =
        ::seccomp_rule_add_array(context_.get(), SCMP_ACT_ERRNO(static_cast<unsigned>(error)),
                                 number, static_cast<unsigned>(where.size()), where.begin());
    if (failed != 0)
      throw SandboxError(std::string("libseccomp takes no rule for ") + name + ": " +
                         std::strerror(-failed));
  }

  void write_to(int file) const {
    const int failed = ::seccomp_export_bpf(context_.get(), file);
    if (failed != 0)
      throw SandboxError(std::string("libseccomp cannot write a filter: ") +
                         std::strerror(-failed));
  }

 private:
  std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, void (*)(scmp_filter_ctx)> context_;
};

scmp_arg_cmp has_bits(unsigned argument, std::uint64_t bits) {
  return {argument, SCMP_CMP_MASKED_EQ, bits, bits};
}

scmp_arg_cmp equals(unsigned argument, std::uint64_t value) {
  return {argument, SCMP_CMP_EQ, value, 0};
}

}  // namespace

const std::string& why_no_system_call_filter() {
  static const std::string reason = [] {
    const std::uint32_t action = SECCOMP_RET_ERRNO;
    if (::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0) return std::string();
    return std::string("the kernel takes no filter of system calls (") + std::strerror(errno) + ")";
  }();
  return reason;
}

UniqueFd system_call_filter() {
  Filter filter;
  for (const char* name : refused) filter.refuse(name);
  // The flags of clone3 are in memory, where no filter can look; the C library then takes clone.
  filter.refuse("clone3", ENOSYS);
  for (std::uint32_t flag = 1; flag != 0; flag <<= 1) {
    if ((namespace_flags & flag) != 0) filter.refuse("clone", EPERM, {has_bits(0, flag)});
  }
  filter.refuse("mmap", EPERM, {has_bits(3, MAP_HUGETLB)});
  // Where there are no namespaces it would hide /proc/<id>/maps from those who count.
  filter.refuse("prctl", EPERM, {equals(0, PR_SET_DUMPABLE), equals(1, 0)});
  UniqueFd file(::memfd_create("system calls", MFD_CLOEXEC));
  if (!file) throw SandboxError(std::string("cannot make a file: ") + std::strerror(errno));
  filter.write_to(file.get());
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

}  // namespace gridstride

#else

namespace gridstride {

const std::string& why_no_system_call_filter() {
  static const std::string reason = "the grader was built without libseccomp";
  return reason;
}

UniqueFd system_call_filter() { throw SandboxError(why_no_system_call_filter()); }

}  // namespace gridstride

#endif
