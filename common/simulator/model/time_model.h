// Modelled time of one launch, from what it counted.
//
// Each part of the GPU gives a lower bound: the work it was given over its throughput. These bounds
// are joined by a p-norm, t = (sum of bound^p)^(1/p), with a large p (throughput_norm): parts work
// side by side, and disturb each other little until they come close. The result is joined in the
// same way, with a small p (latency_norm), with what starting blocks takes and with the time that
// blocks take one after the other because no more of them fit: a multiprocessor that waits for
// memory does not ask for more of it meanwhile, so these add up far sooner. Where blocks wait a few
// times only, and few follow one another, a part of what that norm saves is added, for they wait
// together: with r rounds of blocks, each of which waits n times, a (2 r sqrt n)-th. A norm has no kink
// where the limiter changes, as a plain maximum would. The cost of a launch is added. The largest
// bound is the limiter.
//
// Added rather than joined is what cannot go on side by side: a queue of atomics in the L2 and what
// gets stuck behind it, loads that miss and atomics elsewhere (measure/queued_atomics.csv), as far as
// the queue lasts; with all else it is joined with a large p (queue_norm), for multiprocessors do not
// wait for it (measure/phases.csv, fma beside one address). And, in part, phases (program/phases.h). Let T be all work joined, S the sum over phases of what is joined within each, B the same for phases that
// barriers end. Then work takes T + max((S - T) / 2w, (B - T) / b), with w waves of blocks and b
// blocks that share a multiprocessor. Measured by measure/phases.cu.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/exec/engine.h"
#include "common/simulator/model/bound.h"
#include "common/simulator/model/profile.h"

namespace gridstride::sim {

struct LaunchShape {
  std::uint64_t blocks = 0;
  std::uint32_t block_threads = 0;
  std::uint32_t resident_blocks = 0;  ///< an SM, by occupancy
};

struct TimeEstimate {
  double seconds = 0;
  std::string
      limiter;  ///< part of the largest bound, "launch" when starting costs more than working
  std::vector<Bound> bounds;
  /// Of the part of the device that it uses most: how much of that it keeps busy on average. What
  /// is left is free for other grids, on multiprocessors that have no block of this one as well.
  double share = 0;
};

/// Sectors that go from the L2 to the multiprocessors, whether they hit there or not: what loads do
/// not find in the L1, local memory, textures.
std::uint64_t sectors_from_l2(const Counters& counters);

TimeEstimate estimate(const DeviceProfile& profile, const LaunchShape& shape,
                      const GridResult& result);

}  // namespace gridstride::sim
