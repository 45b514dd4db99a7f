// Finds loops that never end. The machine is deterministic: when all that decides a warp's way through a
// loop is in registers, and these hold again what they held when the warp was here before, it takes the
// same way for ever. So what is said here is no guess from the time that a kernel takes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "common/simulator/analysis/loop_control.h"
#include "common/simulator/program/program.h"

namespace gridstride::sim {

class Warp;    // exec/warp.h
struct Frame;  // exec/warp.h

/// Of one launch. One warp at a time is watched.
class EndlessLoops {
 public:
  explicit EndlessLoops(const KernelCode& kernel) : kernel_(kernel) {}

  /// To be told of warps, each time after they have run. True when the warp is in a loop that never ends.
  bool is_endless(const Warp& warp);

 private:
  /// All that decides which way the warp goes from here; false when that is more than can be said.
  bool take_state(const Warp& warp, std::vector<std::uint64_t>& state);
  bool take_frame(const Frame& frame, std::int32_t pc, bool innermost,
                  std::vector<std::uint64_t>& state);

  const KernelCode& kernel_;
  std::map<const FunctionCode*, std::unique_ptr<LoopControls>> loops_;
  std::uint64_t block_ = 0, warp_ = 0;  ///< that is watched
  std::uint64_t visits_ = 0;            ///< of the watched warp since its state was kept
  std::uint64_t kept_for_ = 0;          ///< visits until a newer state is kept: R. Brent, 1980
  std::uint64_t others_ = 0;            ///< visits of other warps since its last
  std::vector<std::uint64_t> kept_, now_;
};

}  // namespace gridstride::sim
