// What a GPU is like while it is timed: its clocks, why they are low, who else uses it. NVML tells, which
// comes with the driver and is opened at run time; where there is none, nothing is known.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grader/report/results.h"

namespace gridstride {

/// One moment.
struct GpuSample {
  int clock = 0;  ///< of the multiprocessors, MHz; 0 unknown
  int memory_clock = 0;
  int temperature = 0;
  std::uint64_t reasons = 0;  ///< NVML's bits for what holds the clocks down
  int processes = 0;          ///< that have a context there, our own among them
};

class GpuWatch {
 public:
  virtual ~GpuWatch() = default;
  virtual GpuSample sample() = 0;
  virtual bool ecc() const = 0;
  virtual bool mig() const = 0;
  /// Of NVML for the GPU there; null where it does not answer.
  static std::unique_ptr<GpuWatch> open(const std::string& pci_bus_id,
                                        const char* library = "libnvidia-ml.so.1");
};

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
