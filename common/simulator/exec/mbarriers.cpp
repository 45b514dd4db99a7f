// See mbarriers.h.
#include "common/simulator/exec/mbarriers.h"

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/findings/diagnostic_text.h"

namespace gridstride::sim {

void Mbarriers::initialise(std::uint32_t offset, std::uint32_t expected) {
  all_[offset] = {.expected = expected,
                  .pending = expected,
                  .copies = {},
                  .unseen = {},
                  .loads = {},
                  .unseen_loads = {},
                  .arrived = {},
                  .handed_on = {}};
}

Mbarriers::Mbarrier* Mbarriers::find(std::uint32_t offset) {
  const auto it = all_.find(offset);
  return it == all_.end() ? nullptr : &it->second;
}

std::string Mbarriers::missing_in(const Mbarrier& mbarrier) {
  std::string text;
  if (mbarrier.pending != 0) {
    text = fmt::format("{} of the {} arrivals that it expects in a phase {} missing",
                       mbarrier.pending, mbarrier.expected, mbarrier.pending == 1 ? "is" : "are");
  }
  if (mbarrier.bytes > 0) {
    text += fmt::format("{}{} that were announced have not come", text.empty() ? "" : ", and ",
                        bytes_text(static_cast<std::uint64_t>(mbarrier.bytes)));
  }
  if (mbarrier.bytes < 0) {
    text += fmt::format("{}{} have come that nobody announced", text.empty() ? "" : ", and ",
                        bytes_text(static_cast<std::uint64_t>(-mbarrier.bytes)));
  }
  return text.empty() ? "it waits for another phase than the one that ends next" : text;
}

void Block::wait_for_init(Warp& warp) {
  warp.splits[warp.current].state = WarpSplit::State::at_init;
}

void Block::note_init() {
  for (Warp& warp : warps) {
    for (WarpSplit& split : warp.splits) {
      if (split.state == WarpSplit::State::at_init) split.state = WarpSplit::State::runnable;
    }
  }
}

void Block::report_no_mbarrier() const {
  for (const Warp& warp : warps) {
    for (const WarpSplit& split : warp.splits) {
      if (split.state != WarpSplit::State::at_init) continue;
      grid.findings.bad_instruction(
          thread_of(warp, first_lane(split.mask)),
          grid.kernel.code[static_cast<std::size_t>(split.pc)].source,
          "uses a barrier (an mbarrier) where none has been initialised, or no longer is one",
          error_launch_failure);
    }
  }
}

}  // namespace gridstride::sim
