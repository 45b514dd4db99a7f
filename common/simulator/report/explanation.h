// Why each kernel takes the time it takes: what its lines cost, what limits it, what to mend.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "common/simulator/device/device.h"
#include "common/simulator/model/profile.h"

namespace gridstride::sim {

/// An entry for each kernel of `activity`, the one that takes longest first:
/// {"kernel", "parent" (the kernel that launched it, or empty), "launches", "seconds", "share" (of
///  all kernels), "grid", "block", "shared_bytes", "registers", "registers_estimated", "occupancy",
///  "occupancy_limiter", "resident_blocks", "limiter", "headline", "bounds": [{"part", "seconds"}], the largest first,
///  "achieved": {"flops", "dram_bytes", "l2_bytes" (in the direction, to or from the L2, that has
///  more)}, of all launches,
///  "lines": [{"file", "line", "share", "instructions", "active_lanes", "sectors", "ideal_sectors",
///             "wavefronts", "ideal_wavefronts", "atomics", "findings"}], by file and line,
///  "advice": [{"rule", "file", "line", "text", "repair", "saved_seconds", "saved_share"}],
///  "findings": [{"kind", "file", "line", "message", "occurrences"}]}
nlohmann::json explain_kernels(const Activity& activity, const DeviceProfile& profile);

/// The two pieces of advice that save most, over all kernels: "3_sequential.cu:18: threads of a
/// warp hit the same bank 8 ways … (the model takes 30 % off the call)."
std::vector<std::string> advice_sentences(const Activity& activity, const DeviceProfile& profile);

/// What the device can do at best: {"dram", "l2"} in bytes a second, {"fp32"} in operations.
nlohmann::json roofs_of(const DeviceProfile& profile);

}  // namespace gridstride::sim
