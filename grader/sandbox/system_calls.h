// Which system calls a program that nobody trusts may not make: a filter of seccomp.
//
// A list of what is refused, not of what is allowed: toolkits and C libraries change what they use.
// Refused is what holds memory where nobody counts it (files without a name, System V segments,
// message queues, huge pages, what is under way in a socket), what makes namespaces in which there
// would be more such places, and what few programs need and many attacks begin with (io_uring, bpf,
// userfaultfd, key rings, ptrace). A refused call fails with EPERM; nothing is killed.
#pragma once

#include <string>

#include "common/unique_fd.h"

namespace gridstride {

/// What a program may ask of the system.
enum class SystemCalls {
  all,  ///< no filter
  few,  ///< what compilers and stages need
};

/// Whether the kernel takes such filters; empty, or why not.
const std::string& why_no_system_call_filter();

/// The filter of SystemCalls::few as the kernel takes it, an array of sock_filter, in a file to be
/// read from its beginning. For a kernel that takes filters. Throws SandboxError.
UniqueFd system_call_filter();

}  // namespace gridstride
