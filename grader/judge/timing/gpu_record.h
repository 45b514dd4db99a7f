// What a GPU was like while a stage was timed, and what follows from that for the stage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/simulator/gpu/gpu_watch.h"
#include "grader/report/results.h"

namespace gridstride {

using sim::GpuSample;
using sim::GpuWatch;

/// What was seen during one stage's timed calls.
class GpuRecord {
 public:
  /// Without a watch nothing is recorded. `watch` must outlive this.
  explicit GpuRecord(GpuWatch* watch) : watch_(watch) {}

  void after_stage();
  void after_baseline();
  /// Nothing when nothing is known.
  std::optional<GpuConditions> conditions() const;
  /// Why a stage that fell short of `required` times the baseline's speed, at `measured`, is not called
  /// slow: a sentence, or nothing.
  std::string why_not_slow(double measured, double required) const;

 private:
  void look(std::vector<int>& clocks);

  GpuWatch* watch_;
  std::vector<int> stage_clocks_, baseline_clocks_;
  std::vector<GpuSample> samples_;
  std::optional<int> others_;  ///< the fewest that were there besides our own
};

/// Programs with the file name `program` that this process started, or that those did, and that run.
int own_processes(const std::string& program);

}  // namespace gridstride
