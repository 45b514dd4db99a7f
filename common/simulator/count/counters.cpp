// Sums of counters, and the figures that reports and limits are made of.
#include "common/simulator/count/counters.h"

#include <cstdint>
#include <vector>

namespace gridstride::sim {
namespace {

double ratio(std::uint64_t value, std::uint64_t by) {
  return by == 0 ? 0 : static_cast<double>(value) / static_cast<double>(by);
}

double plain(std::uint64_t value) { return static_cast<double>(value); }

std::uint64_t excess(std::uint64_t value, std::uint64_t ideal) {
  return value > ideal ? value - ideal : 0;
}

}  // namespace

Counters& Counters::operator+=(const Counters& o) {
  warp_instructions += o.warp_instructions;
  sass_instructions += o.sass_instructions;
  thread_instructions += o.thread_instructions;
  branches += o.branches;
  divergent_branches += o.divergent_branches;
  barriers += o.barriers;
  global_load_requests += o.global_load_requests;
  global_load_sectors += o.global_load_sectors;
  global_load_ideal_sectors += o.global_load_ideal_sectors;
  global_store_requests += o.global_store_requests;
  global_store_sectors += o.global_store_sectors;
  global_store_ideal_sectors += o.global_store_ideal_sectors;
  global_atomic_requests += o.global_atomic_requests;
  global_atomic_sectors += o.global_atomic_sectors;
  global_atomic_serial += o.global_atomic_serial;
  shared_load_requests += o.shared_load_requests;
  shared_load_wavefronts += o.shared_load_wavefronts;
  shared_load_ideal += o.shared_load_ideal;
  shared_store_requests += o.shared_store_requests;
  shared_store_wavefronts += o.shared_store_wavefronts;
  shared_store_ideal += o.shared_store_ideal;
  shared_atomic_requests += o.shared_atomic_requests;
  shared_atomic_wavefronts += o.shared_atomic_wavefronts;
  shared_atomic_ideal += o.shared_atomic_ideal;
  shared_cas_iterations += o.shared_cas_iterations;
  shared_cas_contended += o.shared_cas_contended;
  shared_cas_passes += o.shared_cas_passes;
  logic_slots += o.logic_slots;
  sum_slots += o.sum_slots;
  product_slots += o.product_slots;
  shuffle_instructions += o.shuffle_instructions;
  match_values += o.match_values;
  l1_hit_sectors += o.l1_hit_sectors;
  l1_passes += o.l1_passes;
  local_requests += o.local_requests;
  local_sectors += o.local_sectors;
  constant_requests += o.constant_requests;
  constant_passes += o.constant_passes;
  constant_lines += o.constant_lines;
  constant_line_loads += o.constant_line_loads;
  constant_misses_apart += o.constant_misses_apart;
  texture_requests += o.texture_requests;
  texture_sectors += o.texture_sectors;
  texture_hit_sectors += o.texture_hit_sectors;
  texture_passes += o.texture_passes;
  special_instructions += o.special_instructions;
  special_slots += o.special_slots;
  float_instructions += o.float_instructions;
  integer_instructions += o.integer_instructions;
  double_instructions += o.double_instructions;
  flops += o.flops;
  dram_read_sectors += o.dram_read_sectors;
  dram_write_sectors += o.dram_write_sectors;
  l2_hit_sectors += o.l2_hit_sectors;
  l2_read_lines += o.l2_read_lines;
  l2_write_lines += o.l2_write_lines;
  dram_lone_reads += o.dram_lone_reads;
  dram_write_lines += o.dram_write_lines;
  rewritten_sectors += o.rewritten_sectors;
  merged_sectors += o.merged_sectors;
  return *this;
}

std::uint64_t Counters::bank_conflicts() const {
  return excess(shared_load_wavefronts, shared_load_ideal) +
         excess(shared_store_wavefronts, shared_store_ideal) +
         excess(shared_atomic_wavefronts, shared_atomic_ideal);
}

const std::vector<NamedCounter>& named_counters() {
  using C = const Counters&;
  static const std::vector<NamedCounter> counters = {
      {"warp_instructions", "instructions issued, one for each warp",
       [](C c) { return plain(c.warp_instructions); }},
      {"active_lanes_per_instruction", "average of active lanes, 32 at best",
       [](C c) { return ratio(c.thread_instructions, c.warp_instructions); }},
      {"branches", "conditional branches, one for each warp",
       [](C c) { return plain(c.branches); }},
      {"divergent_branches", "conditional branches whose lanes took both sides",
       [](C c) { return plain(c.divergent_branches); }},
      {"branch_efficiency", "share of conditional branches that did not diverge, 1 at best",
       [](C c) { return c.branches == 0 ? 1.0 : 1.0 - ratio(c.divergent_branches, c.branches); }},
      {"barriers", "block barriers, one for each warp", [](C c) { return plain(c.barriers); }},
      {"sectors_per_request", "32-byte sectors a global load or store, 4 at best for 4-byte lanes",
       [](C c) {
         return ratio(c.global_load_sectors + c.global_store_sectors,
                      c.global_load_requests + c.global_store_requests);
       }},
      {"load_sectors_per_request", "32-byte sectors a global load",
       [](C c) { return ratio(c.global_load_sectors, c.global_load_requests); }},
      {"store_sectors_per_request", "32-byte sectors a global store",
       [](C c) { return ratio(c.global_store_sectors, c.global_store_requests); }},
      {"sector_efficiency",
       "share of the global sectors moved that the lanes' bytes need, 1 at best",
       [](C c) {
         const std::uint64_t sectors = c.global_load_sectors + c.global_store_sectors;
         return sectors == 0
                    ? 1.0
                    : ratio(c.global_load_ideal_sectors + c.global_store_ideal_sectors, sectors);
       }},
      {"global_load_requests", "global loads, one for each warp",
       [](C c) { return plain(c.global_load_requests); }},
      {"global_store_requests", "global stores, one for each warp",
       [](C c) { return plain(c.global_store_requests); }},
      {"global_load_sectors", "32-byte sectors of global loads",
       [](C c) { return plain(c.global_load_sectors); }},
      {"global_store_sectors", "32-byte sectors of global stores",
       [](C c) { return plain(c.global_store_sectors); }},
      {"global_sectors", "32-byte sectors of all global loads and stores",
       [](C c) { return plain(c.global_load_sectors + c.global_store_sectors); }},
      {"global_atomics", "global atomics, one for each warp",
       [](C c) { return plain(c.global_atomic_requests); }},
      {"global_atomic_sectors", "L2 operations of global atomics",
       [](C c) { return plain(c.global_atomic_sectors); }},
      {"shared_requests", "shared loads, stores and atomics, one for each warp",
       [](C c) {
         return plain(c.shared_load_requests + c.shared_store_requests + c.shared_atomic_requests);
       }},
      {"shared_load_requests", "shared loads, one for each warp",
       [](C c) { return plain(c.shared_load_requests); }},
      {"shared_store_requests", "shared stores, one for each warp",
       [](C c) { return plain(c.shared_store_requests); }},
      {"shared_atomics", "shared atomics, one for each warp",
       [](C c) { return plain(c.shared_atomic_requests); }},
      {"ideal_shared_wavefronts", "passes through shared memory, if no two words shared a bank",
       [](C c) {
         return plain(c.shared_load_ideal + c.shared_store_ideal + c.shared_atomic_ideal);
       }},
      {"shared_wavefronts", "passes through shared memory",
       [](C c) {
         return plain(c.shared_load_wavefronts + c.shared_store_wavefronts +
                      c.shared_atomic_wavefronts);
       }},
      {"bank_conflicts", "passes through shared memory beyond the fewest possible",
       [](C c) { return plain(c.bank_conflicts()); }},
      {"local_sectors", "32-byte sectors of local memory (arrays and spills of a thread)",
       [](C c) { return plain(c.local_sectors); }},
      {"constant_passes", "addresses of constant memory that lanes of a warp wanted apart",
       [](C c) { return plain(c.constant_passes); }},
      {"texture_requests", "texture fetches and surface accesses, one for each warp",
       [](C c) { return plain(c.texture_requests); }},
      {"texture_sectors", "32-byte sectors of all texture fetches and surface accesses",
       [](C c) { return plain(c.texture_sectors); }},
      {"dram_bytes", "bytes moved to and from DRAM",
       [](C c) { return 32 * plain(c.dram_read_sectors + c.dram_write_sectors); }},
      {"l1_hit_rate",
       "share of the sectors of global loads that a block finds in its part of the L1",
       [](C c) { return ratio(c.l1_hit_sectors, c.global_load_sectors); }},
      {"l2_hit_rate", "share of L2 sectors that did not go to DRAM",
       [](C c) { return ratio(c.l2_hit_sectors, c.l2_hit_sectors + c.dram_read_sectors); }},
      {"flops", "floating-point operations of all threads; a fused multiply-add is two",
       [](C c) { return plain(c.flops); }},
      {"integer_instructions", "integer instructions, one for each warp",
       [](C c) { return plain(c.integer_instructions); }},
      {"float_instructions", "single-precision instructions, one for each warp",
       [](C c) { return plain(c.float_instructions); }},
      {"double_instructions", "double-precision instructions, one for each warp",
       [](C c) { return plain(c.double_instructions); }},
      {"special_instructions", "special functions (rcp, sqrt, sin ...), one for each warp",
       [](C c) { return plain(c.special_instructions); }},
  };
  return counters;
}

}  // namespace gridstride::sim
