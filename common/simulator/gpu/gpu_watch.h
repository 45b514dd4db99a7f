// What a GPU is like while it is timed: its clocks, why they are low, who else uses it. NVML tells, which
// comes with the driver and is opened at run time; where there is none, nothing is known.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace gridstride::sim {

/// One moment.
struct GpuSample {
  int clock = 0;  ///< of the multiprocessors, MHz; 0 unknown
  int memory_clock = 0;
  int temperature = 0;
  std::uint64_t reasons = 0;              ///< NVML's bits for what holds the clocks down
  int processes = 0;                      ///< that have a context there, our own among them
  std::optional<int> own_processes = {};  ///< of these the course's; none: whoever asks knows them
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

/// A sample as one line, for whoever watches a GPU of another host, and back. A line that is none is an empty sample.
std::string line_of(const GpuSample& sample);
GpuSample sample_in(const std::string& line);

}  // namespace gridstride::sim
