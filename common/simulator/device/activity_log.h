// What a device remembers of its work until the next mark().
//
// The judge reads it, student code fills it: a program that launches millions of kernels must not
// fill the judge's memory. Past a limit, launches are added to the record of the same kernel.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "common/simulator/device/device.h"

namespace gridstride::sim {

class ActivityLog {
 public:
  /// Records up to `most_records` launches, and `most_lines` line entries and findings in all, one
  /// by one.
  explicit ActivityLog(std::size_t most_records = 4096, std::size_t most_lines = 200'000)
      : most_records_(most_records), most_lines_(most_lines) {}

  /// Returns the number of the record that holds it now.
  std::size_t add(LaunchRecord record);
  /// The launch was over, with its children, `seconds` later than it alone.
  void extend(std::size_t record, double seconds);
  /// Keeps each text once, a hundred of them.
  void refuse(const std::string& what);
  /// Keeps a hundred. False when there are that many.
  bool note(const std::string& what);
  /// A mistake in a call of the host; a hundred are kept.
  void add(Finding finding);
  /// A mistake in the kernel of record number `launch`, found when the launch was over; without a number as
  /// one of the host's.
  void add_late(std::optional<std::size_t> launch, Finding finding);
  void clear();
  Activity& activity() { return activity_; }

 private:
  void fold(LaunchRecord& into, const LaunchRecord& record);

  std::size_t most_records_, most_lines_;
  std::size_t entries_ = 0;
  Activity activity_;
  std::map<std::string, std::size_t> last_of_kernel_;  ///< index of its latest record
};

}  // namespace gridstride::sim
