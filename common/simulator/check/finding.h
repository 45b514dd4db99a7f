// A mistake that the simulated GPU saw in a kernel.
#pragma once

#include <cstdint>
#include <string>

namespace gridstride::sim {

enum class FindingKind : std::uint8_t {
  out_of_bounds,  ///< global, shared, local or constant access outside its allocation
  misaligned,     ///< address not a multiple of the access width
  use_after_free,
  double_free,          ///< of what has been freed, on the host or by a kernel
  host_pointer,         ///< a host address dereferenced on the device
  shared_race,          ///< two threads, at least one store, nothing that orders them
  global_race,          ///< the same in global memory, of the same block or of two
  stream_race,          ///< work of a graded call that is not ordered with the stream it was given
  uninitialized_read,   ///< of memory that nobody has initialised
  barrier_divergence,   ///< a barrier that some threads of the block can never reach
  skipped_barrier,      ///< one that threads went round and ended; the others do not wait for them
  wrong_mask,           ///< a warp operation whose mask leaves out a thread that executes it
  inactive_lane,        ///< a shuffle from a thread that does not take part in it
  narrow_index,         ///< an index that does not fit the 32 bits it is computed in
  invalid_instruction,  ///< trap, unreachable code, division of the kind the hardware faults on
  timeout,              ///< more modelled work than the budget allows
};
/// "out_of_bounds" … as it stands in reports.
const char* name_of(FindingKind kind);
/// True when the real device would stop the kernel: the launch fails and the error sticks.
bool is_fatal(FindingKind kind);

struct SourcePosition {
  std::string file;        ///< as the compiler recorded it; empty when built without -lineinfo
  std::uint32_t line = 0;  ///< 0 when unknown
  /// Of inlined code what is to be said of `line`, the innermost one in the kernel's own file: "is
  /// called in line 30", "calls inlined code: line 41 of reduce.h".
  std::string inlined = {};
};

struct Finding {
  FindingKind kind{};
  std::string kernel;    ///< demangled
  SourcePosition where;  ///< of the access that completed the mistake
  SourcePosition other;  ///< races: of the earlier access
  /// One or more complete sentences for the user: which threads of which block, which address, how
  /// far outside which allocation, what to do about it.
  std::string message;
  std::uint64_t occurrences = 1;  ///< same kind and lines, in this launch
};

/// "global_race in last(int*) at last.cu:9".
std::string title_of(const Finding& finding);

}  // namespace gridstride::sim
