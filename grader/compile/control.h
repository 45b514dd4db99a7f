// The control run: does the toolchain do its work on a text that no student wrote?
//
// A compiler's words cannot say whose fault a failure is, for a source can make it print anything.
// So the same command is run again, in the same sandbox and under the same limits, on a small text
// of our own. What fails there too is the toolchain's fault.
#pragma once

#include <string>

#include "grader/compile/guard.h"

namespace gridstride {

struct Control {
  bool succeeded = false;
  std::string words;        ///< what the toolchain said, when it failed
  double wall_seconds = 0;  ///< of the step that took longest
};

/// For a compilation the text includes the contract's headers, those of guarded.readable, and a
/// header of each part of the toolkit that the source names: what the toolkit lacks is not the
/// source's fault. For a link, of host or device code, an object made by the same program stands in
/// place of all objects of the build. Throws std::runtime_error when it cannot be tried.
Control run_control(const GuardedCommand& guarded);

}  // namespace gridstride
