// All launches of one kernel, as the rules of a diagnosis look at them, and the question that each
// of them asks: how long would it take if this were mended?
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/simulator/count/counters.h"
#include "common/simulator/device/device.h"
#include "common/simulator/exec/engine.h"
#include "common/simulator/model/profile.h"
#include "common/simulator/model/time_model.h"

namespace gridstride::sim {

/// What the time model is given for one launch.
struct ModelInputs {
  LaunchShape shape;
  GridResult result;  ///< counters, latency of a block, atomics; no lines
};

/// Mends one launch.
using Change = std::function<void(const LaunchRecord& launch, ModelInputs& inputs)>;

class KernelView {
 public:
  /// `launches` are those of one kernel, at least one; they and `profile` must outlive this.
  KernelView(const DeviceProfile& profile, std::vector<const LaunchRecord*> launches);

  const DeviceProfile& profile;
  std::vector<const LaunchRecord*> launches;
  std::uint64_t launch_count = 0;
  double seconds = 0;               ///< modelled, of all launches
  Counters counters;                ///< of all launches
  std::vector<LineCounters> lines;  ///< of all launches, by file and line
  std::vector<Bound> bounds;        ///< of all launches

  /// The launch that takes longest.
  const LaunchRecord& longest() const { return *longest_; }
  /// Blocks of the kernel's other launches that run beside `launch`, on average over its time.
  double blocks_beside(const LaunchRecord& launch) const;
  double bound(const std::string& part) const;  ///< seconds; 0 when the model has no such part
  /// The part with the largest bound over all launches, or "launch" when launching takes longer.
  const std::string& limiter() const { return limiter_; }

  /// Seconds that the model takes off when every launch is changed so; below 0 when it adds some.
  double saved(const Change& change) const;
  /// For each of `lines` its share of the kernel's time, as far as the model can tell it from what
  /// the line did: each part of the GPU gives its seconds to the lines that used it, and counts for
  /// as much as it adds to the norm of time_model.h. They add up to 1, or are all 0.
  std::vector<double> line_shares() const;

 private:
  const LaunchRecord* longest_ = nullptr;
  std::string limiter_ = "launch";
};

/// What the model was given for a recorded launch.
ModelInputs inputs_of(const LaunchRecord& launch);

/// The line of a launch, or null.
const LineCounters* line_of(const LaunchRecord& launch, const LineCounters& like);

}  // namespace gridstride::sim
