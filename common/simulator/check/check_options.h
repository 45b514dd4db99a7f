// Which mistakes are looked for. All are, unless somebody switches some off.
#pragma once

#include <string>

namespace gridstride::sim {

struct CheckOptions {
  bool memory = true;         ///< bounds and released memory
  bool races = true;          ///< in shared and global memory
  bool uninitialized = true;  ///< reads of what nobody has written
  bool barriers = true;       ///< barriers and warp operations that not all threads reach
  bool leaks = true;          ///< memory that is never given back; reported at the end of a program
};

/// What a list such as "memory,races" names: memory, races, init, barriers, leaks; "all" or "none"
/// alone. Throws std::invalid_argument, in words for the user, for a name that there is not.
CheckOptions checks_named(const std::string& list);

}  // namespace gridstride::sim
