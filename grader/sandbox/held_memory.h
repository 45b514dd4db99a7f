// What processes hold in memory, also where it belongs to none of them.
//
// A process's resident pages are not all that it holds. Pages of a shared mapping stay when they are
// unmapped from the one that wrote them, files without a name when nobody maps them, and pages that
// were swapped out; huge pages count apart.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace gridstride {

/// Whether a line of /proc/<id>/maps is of memory that was mapped shared and belongs to no file that is somewhere: mapped
/// as anonymous, also where the process has given it a name, of memfd_create, or of System V.
bool is_shared_memory(std::string_view line);

/// Bytes, of all these processes together; those that end meanwhile are left out. Shared mappings
/// that have no file to ask count in full, for nobody tells which of their pages exist.
std::uint64_t held_memory(const std::vector<pid_t>& processes);

}  // namespace gridstride
