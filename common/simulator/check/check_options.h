// Which mistakes are looked for. All are, unless somebody switches some off.
//
// A mistake that stops a kernel on the hardware stops it here in any case, with the same error;
// switched off, it is no finding, and nothing is looked for that the hardware would let pass.
#pragma once

#include <cstdint>
#include <string>

#include "common/simulator/check/finding.h"

namespace gridstride::sim {

class CheckOptions {
 public:
  /// Whether mistakes of this kind become findings. invalid_instruction and timeout always do.
  bool looks_for(FindingKind kind) const {
    return (kinds_ >> static_cast<unsigned>(kind) & 1) != 0;
  }
  void look_for(FindingKind kind, bool on);

  bool leaks = true;  ///< memory that is never given back; noted at the end of a program

 private:
  std::uint32_t kinds_ = ~0u;  ///< bit by bit, in the order of FindingKind
};

/// What a list such as "races,out_of_bounds" or "all,-leaks" names. A name is that of a kind
/// ("global_race"), of a group of them ("races"; see check_names()), "leaks", "all" or "none"; with
/// a '-' before it, it switches off. The list is taken in its order; one that begins with '-'
/// begins with all. Throws std::invalid_argument, in words for the user, for a name that there is
/// not.
CheckOptions checks_named(const std::string& list);

/// All names, for help: "memory (out_of_bounds, …), races (…), …, leaks, all and none".
std::string check_names();

}  // namespace gridstride::sim
