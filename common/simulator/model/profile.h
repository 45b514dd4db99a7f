// What the simulated GPU is: limits, throughputs and latencies, read from a TOML file.
//
// Every figure stands in profiles/*.toml with its source. Throughputs there are those of the real
// device; the loader multiplies them, and the cache sizes, by multiprocessors / multiprocessors of
// the real device, so that a problem scaled by the same factor is limited by the same thing. What
// belongs to one multiprocessor, latencies and launch costs are not scaled.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/simulator/base/device_properties.h"
#include "common/simulator/exec/engine.h"

namespace gridstride::sim {

/// The profile is not what it must be; what() is "h200.toml:12: expected …".
class ProfileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Limits of one multiprocessor and one block.
struct MultiprocessorLimits {
  std::uint32_t threads = 0, blocks = 0, registers = 0;
  std::uint64_t l1_bytes = 0;                ///< of the array that shared memory is cut from
  std::uint64_t shared_bytes = 0;            ///< that all resident blocks share
  std::uint64_t shared_per_block = 0;        ///< without opting in
  std::uint64_t shared_per_block_optin = 0;  ///< the most after cudaFuncSetAttribute
  std::uint64_t shared_reserved = 0;         ///< a block, taken by the system
  std::uint64_t shared_granularity = 0;      ///< bytes, allocations round up
  std::uint32_t register_granularity = 0;    ///< registers a warp, allocations round up
  std::uint32_t threads_per_block = 0, registers_per_thread = 0;
};

/// Bytes, instructions or operations a second, of the whole simulated device.
struct Throughputs {
  double dram_read = 0, dram_write = 0;  ///< bytes/s
  double dram_lone_reads = 0;          ///< reads/s of 64 bytes of a row, what they take beyond that
  double l2 = 0;                       ///< bytes/s of loads
  double l2_lines = 0;                 ///< lines/s that loads ask for
  double l2_rewrites = 0;              ///< sectors/s, what storing to one again takes beyond that
  double l2_atomics = 0;               ///< sector operations/s on different addresses
  double l2_atomics_sector = 0;        ///< operations/s in one sector of 32 bytes
  double l2_atomics_float_sector = 0;  ///< the same for additions of floating-point numbers
  double l2_atomics_piece = 0;         ///< operations/s in one piece of 512 bytes
  double wavefronts = 0;               ///< shared-memory wavefronts, or looks into the L1, /s
  double cas_iterations = 0;           ///< iterations/s of shared atomics that are CAS loops
  double cas_passes = 0;               ///< words/s of one bank that their iterations look at
  double contended_cas_iterations = 0;  ///< the same where warps of a block are at one place,
  double contended_cas_tries = 0;  ///< … and tries/s: every warp of that block, every iteration
  double issue = 0;                ///< warp instructions/s
  double float_issue = 0, integer_issue = 0, special_issue = 0, double_issue = 0;  ///< of each kind
  /// Warp instructions/s of the kind `integer`: what is no sum, but logic, shifts, comparisons; and
  /// products.
  double logic_issue = 0, product_issue = 0;
  double constant_passes = 0;  ///< addresses/s that lanes of one warp want apart
  /// Of many warps, lines/s that each wants for itself, and loads/s of one address from them.
  double constant_lines = 0, constant_line_loads = 0;
  double constant_misses_apart =
      0;                      ///< lines/s that the cache fetches, lanes want several addresses
  double texture_passes = 0;  ///< cycles/s of the texture units
  double loads = 0;           ///< sectors/s that multiprocessors take from the L2
  double store_lines = 0;     ///< lines/s that they send to it
  double store_sectors = 0;   ///< sectors/s that they send to it
  double blocks = 0;          ///< blocks started/s
  double host_copy = 0;       ///< bytes/s over PCIe
};

struct DeviceProfile {
  DeviceProperties properties;
  MultiprocessorLimits limits;
  Throughputs throughput;
  LatencyTable latency;
  /// Different bytes that the L2 holds: less than it has (DeviceProperties::l2_bytes) where each
  /// half of the device keeps what it reads of the other's.
  std::uint64_t l2_held_bytes = 0;
  double clock_hz = 0;
  double launch_seconds = 0;            ///< an empty kernel
  double following_launch_seconds = 0;  ///< … behind another one that the host launched long before
  double host_launch_seconds = 0;       ///< until the host can make the next call
  double device_launch_start = 0;       ///< from a launch in a kernel until the child runs
  double device_launch_interval = 0;    ///< between two launches by kernels
  double transfer_seconds = 0;          ///< an empty copy between host and device
  /// How bounds are joined, see time_model.h.
  double throughput_norm = 0, latency_norm = 0, queue_norm = 0;
};

/// How much of the real device is simulated.
enum class Scale { scaled_down, whole };

/// Parses `toml`; `name` stands in messages. Throws ProfileError.
DeviceProfile parse_profile(std::string_view toml, const std::string& name,
                            Scale size = Scale::scaled_down);
DeviceProfile load_profile(const std::filesystem::path& file);
/// The profile that `name` names: one of profile_names(), scaled down; the same with "-whole"
/// behind it, with all multiprocessors of the real device; or a file. Throws ProfileError.
DeviceProfile profile_named(const std::string& name);
/// "h200", "a100", "t4": compiled into this library.
std::vector<std::string> profile_names();
/// The one compiled into this library (profiles/h200.toml).
DeviceProfile default_profile();

}  // namespace gridstride::sim
