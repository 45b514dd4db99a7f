// See the header.
#include "common/simulator/exec/access_counters.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/simulator/analysis/classify.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {
namespace {

/// Whole words of the sector of `address` that lie before it.
std::uint32_t words_before(DeviceAddress address) { return address % 32 / 4; }
/// … of the sector that ends at `end` or goes on there, behind it.
std::uint32_t words_behind(DeviceAddress end) { return (32 - end % 32) % 32 / 4; }

/// Words that lanes with `bytes` each store to each sector, rounded up; four sums of 8 bits, which
/// 32 lanes do not fill.
std::uint32_t stored_words(std::uint32_t lanes, std::uint32_t bytes) {
  if (bytes >= 4) return lanes * (bytes / 4);
  return (lanes * bytes + 0x03030303) >> 2 & 0x3f3f3f3f;
}

constexpr double never = -1;  ///< a cycle

void set_global_loads(Counters& c, const InstructionCounts& n) {
  c.global_load_requests = n.global_requests;
  c.global_load_sectors = n.global_sectors;
  c.global_load_ideal_sectors = n.global_ideal;
}

void set_global_stores(Counters& c, const InstructionCounts& n) {
  c.global_store_requests = n.global_requests;
  c.global_store_sectors = n.global_sectors;
  c.global_store_ideal_sectors = n.global_ideal;
}

void set_shared_loads(Counters& c, const InstructionCounts& n) {
  c.shared_load_requests = n.shared_requests;
  c.shared_load_wavefronts = n.shared_wavefronts;
  c.shared_load_ideal = n.shared_ideal;
}

void set_shared_stores(Counters& c, const InstructionCounts& n) {
  c.shared_store_requests = n.shared_requests;
  c.shared_store_wavefronts = n.shared_wavefronts;
  c.shared_store_ideal = n.shared_ideal;
}

}  // namespace

void AccessCounters::count_line(Warp& warp, const Inst& inst, std::uint64_t line,
                                std::uint32_t sectors, bool writes, std::uint32_t stored) {
  const double asked = writes ? never : note_line(warp, line, sectors);
  if (!writes && !use_of(inst).passes_l1) {
    const std::uint32_t misses = warp.block->l1.misses(line, sectors);
    of(inst).l1_hits += static_cast<std::uint32_t>(std::popcount(sectors & ~misses));
    if (misses == 0) return;
    sectors = misses;
  }
  if (!writes && use_of(inst).polls) atomic_queues.add_load(line * 128);
  ask_l2(warp, inst, line, sectors, writes, stored, asked);
}

void AccessCounters::count_fetched_line(Warp& warp, const Inst& inst, std::uint64_t line,
                                        std::uint32_t sectors) {
  const double asked = note_line(warp, line, sectors);
  const std::uint32_t misses = warp.block->l1.misses(line, sectors);
  of(inst).texture_hits += static_cast<std::uint32_t>(std::popcount(sectors & ~misses));
  if (misses != 0) ask_l2(warp, inst, line, misses, false, L2Cache::whole_sectors, asked);
}

double AccessCounters::note_line(Warp& warp, std::uint64_t line, std::uint32_t sectors) {
  if (!warp.block->of_first_round && !warp.block->timed) [[likely]]
    return never;
  ++warp.lines;
  if (!warp.block->timed) return never;
  const double asked = under_way.asked(line, sectors, warp.outcome.time);
  if (asked >= 0) warp.outcome.arrives_after(asked + warp.grid->request.latencies.global_dram);
  if (warp.block->linear == warp.grid->first_block) {
    asking_times.add(warp.index, warp.outcome.time);
  }
  return asked;
}

void AccessCounters::ask_l2(Warp& warp, const Inst& inst, std::uint64_t line, std::uint32_t sectors,
                            bool writes, std::uint32_t stored, double asked) {
  InstructionCounts& count = of(inst);
  ++count.l2_lines;
  const L2Cache::Outcome outcome = l2_.access(line * 128, sectors, writes, stored);
  count.add(outcome);
  warp.outcome.l2 = true;
  // Half a piece that the other half has brought along comes with that.
  if (outcome.dram_reads != 0 || (outcome.waits && asked < 0)) warp.outcome.dram = true;
  if (!writes && (warp.block->of_first_round || warp.block->timed)) [[unlikely]] {
    const double time =
        warp.block->timed ? warp.outcome.time : asking_times.at(warp.index, warp.lines - 1);
    if (outcome.waits) {
      under_way.add(line, sectors, time);
    } else if (!warp.block->timed) {
      under_way.asked(line, sectors, time);
    }
  }
}

/// Of a run the L1 looks at one line a cycle (model/measure/atomics_and_l1.csv).
std::uint32_t AccessCounters::count_global_run(Warp& warp, const Inst& inst, DeviceAddress address,
                                               std::uint32_t bytes, bool writes) {
  const std::uint64_t first = address / 32, last = (address + bytes - 1) / 32;
  const auto sectors = static_cast<std::uint32_t>(last - first + 1);
  InstructionCounts& count = of(inst);
  ++count.global_requests;
  count.global_sectors += sectors;
  count.global_ideal += (bytes + 31) / 32;
  const auto passes = static_cast<std::uint32_t>(last / 4 - first / 4 + 1);
  count.l1_passes += passes;
  warp.outcome.sectors += sectors;
  warp.outcome.passes += passes;
  for (std::uint64_t line = first / 4; line <= last / 4; ++line) {
    std::uint32_t mask = 0xf;
    if (line == first / 4) mask &= 0xfu << (first % 4);
    if (line == last / 4) mask &= 0xfu >> (3 - last % 4);
    std::uint32_t stored = L2Cache::whole_sectors;
    if (writes) {
      // Only the outer two may be stored to in part.
      if (line == first / 4) stored -= words_before(address) << 8 * (first % 4);
      if (line == last / 4) stored -= words_behind(address + bytes) << 8 * (last % 4);
    }
    count_line(warp, inst, line, mask, writes, stored);
  }
  if (writes) {
    RecentStores& recent = warp.block->recent_stores;
    if (address % 32 != 0) count.rewritten += recent.add(first);
    if ((address + bytes) % 32 != 0 && last != first) count.rewritten += recent.add(last);
  }
  return sectors;
}

std::uint32_t AccessCounters::count_global(Warp& warp, const Inst& inst,
                                           const std::uint64_t* addresses, LaneMask mask,
                                           std::uint32_t bytes, std::uint32_t ideal, bool writes) {
  const LineTouches touches = touched_lines(addresses, mask);
  const std::uint32_t sectors = touches.sectors();
  InstructionCounts& count = of(inst);
  ++count.global_requests;
  count.global_sectors += sectors;
  count.global_ideal += std::min(ideal, sectors);
  const std::uint32_t passes = l1_passes(touches, addresses, mask, bytes);
  count.l1_passes += passes;
  warp.outcome.sectors += sectors;
  warp.outcome.passes += passes;
  const bool merged =
      writes && warp.block->recent_stores.goes_on(warp.index, touches.lines[0].line, touches.count);
  for (std::uint32_t i = 0; i < touches.count; ++i) {
    const LineTouch& touch = touches.lines[i];
    count_line(warp, inst, touch.line, touch.sectors, writes, stored_words(touch.lanes, bytes));
    // Of a line more than one sector of which is stored to, at most the outer two are in part.
    if (writes && !merged && std::has_single_bit(touch.sectors)) {
      count.rewritten +=
          warp.block->recent_stores.add(touch.line * 4 + std::countr_zero(touch.sectors));
    }
  }
  if (merged) {
    count.l2_lines -= touches.count;
    count.merged_sectors += sectors;
  }
  return sectors;
}

void AccessCounters::add_pattern(const Inst& inst, const std::uint64_t* addresses, LaneMask mask,
                                 std::uint32_t cost, std::uint32_t ideal) {
  PatternSamples& samples = patterns_[inst.source];
  samples.bytes = std::uint32_t{inst.width} * inst.count;
  AccessPattern pattern = pattern_of(addresses, mask, samples.bytes);
  pattern.cost = cost;
  pattern.ideal = ideal;
  samples.add(pattern);
}

void AccessCounters::count_atomic(Warp& warp, const Inst& inst, const std::uint64_t* addresses,
                                  LaneMask mask, bool aggregated, bool is_float) {
  InstructionCounts& count = of(inst);
  if (kernel_.draws_work && warp.block->timed) {
    warp.block->draws.push_back({warp.outcome.time, std::popcount(mask), warp.index});
  }
  AtomicCost cost = global_atomic_cost(addresses, mask);
  if (aggregated) cost.sectors = cost.serial = cost.touched[0].operations = 1;
  ++count.global_requests;
  count.global_sectors += cost.sectors;
  count.global_serial += cost.serial;
  warp.outcome.sectors += cost.sectors;
  for (std::uint32_t i = 0; i < cost.count; ++i) {
    atomic_queues.add(cost.touched[i].number * 32, cost.touched[i].operations, is_float);
  }
  count_lines(count, touched_lines(addresses, mask));
}

void AccessCounters::count_lines(InstructionCounts& count, const LineTouches& touches) {
  for (std::uint32_t i = 0; i < touches.count; ++i) {
    const LineTouch& touch = touches.lines[i];
    // Read, changed and written where it is.
    const L2Cache::Outcome outcome = l2_.access(touch.line * 128, touch.sectors, false);
    l2_.access(touch.line * 128, touch.sectors, true);
    count.add(outcome);
  }
}

void AccessCounters::add_runs() {
  RunCounts here;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    here += std::exchange(runs[i], {});
    counts[i].executed += static_cast<std::uint64_t>(here.by_all + here.by_some);
    counts[i].lanes += static_cast<std::uint64_t>(here.by_all * warp_size + here.some_lanes);
  }
  runs.back() = {};
}

std::uint64_t AccessCounters::issued() {
  add_runs();
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (kernel_.origins[i].instruction) sum += counts[i].executed;
  }
  return sum;
}

Counters AccessCounters::counters_of(std::size_t index) const {
  const InstructionCounts& n = counts[index];
  const InstructionClass& kind = kernel_.classes[index];
  Counters c;
  c.warp_instructions = n.executed;
  // What a predicated branch leaves out is issued for nothing, and the branch is none.
  const std::int32_t by = kernel_.branches.predicated_by[index];
  const std::uint64_t came = by < 0 ? n.executed : counts[static_cast<std::size_t>(by)].executed;
  const std::uint64_t issued = kernel_.branches.predicated[index] ? 0 : came;
  c.sass_instructions = issued * kind.sass_instructions + rare_slots[index];
  c.thread_instructions = n.lanes;
  if (kind.unit == Unit::barrier && kernel_.code[index].control == Control::barrier) {
    c.barriers = n.executed;
  }
  switch (kind.counters) {
    case CounterGroup::loads:
      set_global_loads(c, n);
      set_shared_loads(c, n);
      break;
    case CounterGroup::stores:
      set_global_stores(c, n);
      set_shared_stores(c, n);
      break;
    case CounterGroup::atomics:
      c.global_atomic_requests = n.global_requests;
      c.global_atomic_sectors = n.global_sectors;
      c.global_atomic_serial = n.global_serial;
      c.shared_atomic_requests = n.shared_requests;
      c.shared_atomic_wavefronts = n.shared_wavefronts;
      c.shared_atomic_ideal = n.shared_ideal;
      c.shared_cas_iterations = n.shared_cas_iterations;
      c.shared_cas_contended = n.shared_cas_contended;
      c.shared_cas_passes = n.shared_cas_passes;
      break;
    case CounterGroup::copies:
      set_global_loads(c, n);
      set_shared_stores(c, n);
      break;
    case CounterGroup::branches:
      c.branches = n.executed;
      c.divergent_branches = n.divergent;
      break;
    case CounterGroup::shuffles:
      c.shuffle_instructions = n.executed;
      break;
  }
  c.l1_hit_sectors = n.l1_hits;
  c.l1_passes = n.l1_passes;
  const bool stores = kind.counters == CounterGroup::stores;
  (stores ? c.l2_write_lines : c.l2_read_lines) = n.l2_lines;
  c.rewritten_sectors = n.rewritten;
  c.merged_sectors = n.merged_sectors;
  c.local_requests = n.local_requests;
  c.local_sectors = n.local_sectors;
  c.constant_requests = n.constant_requests;
  c.constant_passes = n.constant_passes;
  c.constant_lines = n.constant_lines;
  c.constant_line_loads = n.constant_line_loads;
  c.constant_misses_apart = n.constant_misses_apart;
  c.texture_requests = n.texture_requests;
  c.texture_sectors = n.texture_sectors;
  c.texture_hit_sectors = n.texture_hits;
  c.texture_passes = n.texture_passes;
  c.match_values = n.match_values;
  if (kind.unit == Unit::special) c.special_instructions = n.executed;
  if (kind.unit == Unit::single_precision) c.float_instructions = n.executed;
  if (kind.unit == Unit::integer) c.integer_instructions = n.executed;
  if (kind.unit == Unit::double_precision) c.double_instructions = n.executed;
  c.special_slots = n.executed * kind.special_slots;
  c.logic_slots = issued * kind.logic_slots;
  c.sum_slots = issued * kind.sum_slots;
  c.product_slots = issued * kind.product_slots;
  c.flops = n.lanes * kind.flops;
  c.dram_read_sectors = n.dram_reads;
  c.dram_write_sectors = n.dram_writes;
  c.l2_hit_sectors = n.l2_hits;
  c.dram_lone_reads = n.dram_lone_reads;
  c.dram_write_lines = n.dram_write_lines;
  return c;
}

void AccessCounters::add_accesses(std::size_t instruction, const Counters& c,
                                  LineCounters& line) const {
  const auto found = patterns_.find(static_cast<std::uint32_t>(instruction));
  if (found == patterns_.end()) return;
  const auto add = [&](AccessKind kind, std::uint64_t cost, std::uint64_t ideal) {
    if (cost <= ideal) return;
    merge(line.accesses, {{kind, found->second.bytes, found->second.scaled_to(cost - ideal)}});
  };
  // An instruction on generic addresses may have met both memories; its pattern then stands for
  // both.
  add(AccessKind::global_load, c.global_load_sectors, c.global_load_ideal_sectors);
  add(AccessKind::global_store, c.global_store_sectors, c.global_store_ideal_sectors);
  add(AccessKind::shared_load, c.shared_load_wavefronts, c.shared_load_ideal);
  add(AccessKind::shared_store, c.shared_store_wavefronts, c.shared_store_ideal);
  add(AccessKind::shared_atomic, c.shared_atomic_wavefronts, c.shared_atomic_ideal);
}

}  // namespace gridstride::sim
