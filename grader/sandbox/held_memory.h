// What processes hold in memory, also where it belongs to none of them.
//
// A process's resident pages are not all that it holds. Pages of a shared mapping stay when they are
// unmapped from the one that wrote them, files without a name when nobody maps them, and pages that
// were swapped out; huge pages count apart.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace gridstride {

/// How shared mappings count that have no file to ask.
enum class SharedMappings {
  resident,  ///< by what is resident: a GPU's driver may reserve far more than it uses
  whole,     ///< in full, for nobody tells which of their pages exist
};

/// Bytes, of all these processes together; those that end meanwhile are left out.
std::uint64_t held_memory(const std::vector<pid_t>& processes, SharedMappings shared);

}  // namespace gridstride
