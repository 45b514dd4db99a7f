// What a kernel did, counted as Nsight Compute counts it.
//
// Rules and their source: docs/simulator.md; tested against counters taken on an H200.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/count/access_pattern.h"

namespace gridstride::sim {

/// Totals of one launch, or of one source line of it.
struct Counters {
  std::uint64_t warp_instructions = 0;  ///< issued, one a warp and instruction
  std::uint64_t sass_instructions = 0;  ///< what ptxas makes of them, estimated; for the time model
  std::uint64_t thread_instructions = 0;  ///< the same times active lanes
  std::uint64_t branches = 0;             ///< conditional branches executed, one a warp
  std::uint64_t divergent_branches = 0;   ///< … whose active lanes split
  std::uint64_t barriers = 0;             ///< block barriers, one a warp
  std::uint64_t global_load_requests = 0, global_load_sectors = 0, global_load_ideal_sectors = 0;
  std::uint64_t global_store_requests = 0, global_store_sectors = 0, global_store_ideal_sectors = 0;
  std::uint64_t global_atomic_requests = 0, global_atomic_sectors = 0;
  /// Largest number of lanes of one request that hit one address, summed: serialised L2 operations.
  std::uint64_t global_atomic_serial = 0;
  std::uint64_t shared_load_requests = 0, shared_load_wavefronts = 0, shared_load_ideal = 0;
  std::uint64_t shared_store_requests = 0, shared_store_wavefronts = 0, shared_store_ideal = 0;
  std::uint64_t shared_atomic_requests = 0, shared_atomic_wavefronts = 0, shared_atomic_ideal = 0;
  /// Iterations of shared atomics that the hardware does as a compare-and-swap loop.
  std::uint64_t shared_cas_iterations = 0;
  /// Over these iterations, the different words that lanes still want of the busiest bank.
  std::uint64_t shared_cas_passes = 0;
  /// … of the iterations those at a place where another warp of the block loops as well.
  std::uint64_t shared_cas_contended = 0;
  std::uint64_t l1_hit_sectors = 0;
  std::uint64_t l1_passes = 0;  ///< cycles that global loads and stores occupy the L1
  std::uint64_t local_requests = 0, local_sectors = 0;
  std::uint64_t constant_requests = 0;
  /// Of requests whose lanes differ: the addresses, which are served one after the other. What
  /// Nsight Compute calls idc__requests grows by this.
  std::uint64_t constant_passes = 0;
  /// Lines of 64 bytes that warps came to again after others, by loads whose lanes want one address that
  /// is in a register; and such loads from them.
  std::uint64_t constant_lines = 0, constant_line_loads = 0;
  /// Lines that the cache for constants had to fetch, for loads whose lanes want several addresses.
  std::uint64_t constant_misses_apart = 0;
  std::uint64_t texture_requests = 0, texture_sectors = 0;  ///< textures and surfaces
  std::uint64_t texture_hit_sectors = 0;                    ///< found in the L1
  std::uint64_t texture_passes = 0;        ///< cycles that they occupy the texture unit
  std::uint64_t special_instructions = 0;  ///< rcp, sqrt, sin … (the special function unit)
  std::uint64_t float_instructions = 0, integer_instructions = 0, double_instructions = 0;
  /// For the time model: see InstructionClass (classify.h).
  std::uint64_t logic_slots = 0, sum_slots = 0, product_slots = 0, special_slots = 0;
  std::uint64_t shuffle_instructions = 0;
  std::uint64_t match_values = 0;  ///< different values that match.any has found, over all warps
  std::uint64_t flops = 0;         ///< active lanes: 1 for add and mul, 2 for fma
  std::uint64_t dram_read_sectors = 0, dram_write_sectors = 0, l2_hit_sectors = 0;
  /// Lines of 128 bytes that requests ask the L2 for or write to it, and that it writes back to DRAM:
  /// one each time, however many of their sectors are meant.
  std::uint64_t l2_read_lines = 0, l2_write_lines = 0, dram_write_lines = 0;
  std::uint64_t dram_lone_reads = 0;    ///< of no more than 64 bytes, from a row that was not open
  std::uint64_t rewritten_sectors = 0;  ///< stored to in part by a block that just did so before
  /// Stored to lines that the warp's store before went to: they go to the L2 together (recent_stores.h).
  std::uint64_t merged_sectors = 0;

  Counters& operator+=(const Counters& other);

  /// wavefronts beyond the ideal, loads, stores and atomics: what Nsight calls bank conflicts.
  std::uint64_t bank_conflicts() const;
};

/// One named figure of a report. The names are those that lab.toml `limits` may use.
struct NamedCounter {
  const char* name;         ///< "bank_conflicts", "sectors_per_request", …
  const char* description;  ///< one line, with the unit
  double (*value)(const Counters&);
};
/// Every counter that reports show and `limits` can bound, in the order reports show them.
const std::vector<NamedCounter>& named_counters();

struct LineCounters {
  std::string file;
  std::uint32_t line = 0;
  Counters counters;
  std::vector<LineAccess> accesses = {};  ///< those that cost more than they need
};

}  // namespace gridstride::sim
