// Blocks in flight, and what comes out of a grid.
#include "common/simulator/exec/grid_run.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "common/simulator/exec/block.h"
#include "common/simulator/exec/device_runtime.h"
#include "common/simulator/exec/finding_words.h"
#include "common/simulator/exec/memory_use.h"
#include "common/simulator/pseudorandom.h"

namespace gridstride::sim {
namespace {

/// Blocks of a grid on which the scoreboard runs: enough to see ragged ends, few enough to be
/// cheap.
constexpr std::uint64_t samples = 4;

/// Bytes.
constexpr std::uint64_t widest_access = 16;

/// Times that blocks give way; a check walks over the whole program.
constexpr std::uint64_t waits_between_checks = 1024;

/// The banks that hold a sector of each line give one line's a cycle.
std::uint32_t l1_passes(const LineTouches& touches) {
  std::array<std::uint32_t, 4> lines{};
  for (std::uint32_t i = 0; i < touches.count; ++i) {
    for (std::uint32_t sector = 0; sector < 4; ++sector) {
      lines[sector] += touches.lines[i].sectors >> sector & 1;
    }
  }
  return *std::max_element(lines.begin(), lines.end());
}

}  // namespace

GridRun::GridRun(const GridRequest& what, GlobalMemory& device_memory, L2Cache& cache)
    : request(what),
      program(*what.program),
      kernel(what.program->kernels.at(what.kernel)),
      memory(device_memory),
      l2(cache),
      counts(kernel.code.size()),
      shared_bytes(static_cast<std::uint32_t>(kernel.static_shared + what.dynamic_shared)) {}

GridRun::~GridRun() = default;

DeviceRuntime& GridRun::device_runtime() {
  if (!device_runtime_) device_runtime_ = std::make_unique<DeviceRuntime>(memory);
  return *device_runtime_;
}

DeviceHeap& GridRun::heap() const {
  if (request.heap) return *request.heap;
  throw Unsupported("memory for " + kernel.name +
                    " from a device without a heap is not supported by the simulated GPU");
}

DeviceRuntimeHost& GridRun::device_host() {
  if (request.device_runtime) return *request.device_runtime;
  throw Unsupported("dynamic parallelism in " + kernel.name +
                    " needs a device, which this grid runs without: it is not supported by the "
                    "simulated GPU");
}

/// The shadow may take one and a half bytes for each that is allocated, and a little more for small
/// programs. With the data itself, which bytes are written, and the checker's records (more than a
/// byte for each that is accessed in single bytes) that stays below four.
void GridRun::start_race_checker() {
  constexpr std::uint64_t for_small_programs = std::uint64_t{32} << 20;
  RacePages* pages = request.race_pages;
  if (!pages) {
    own_race_pages_ = std::make_unique<RacePages>(GlobalMemory::base);
    pages = own_race_pages_.get();
  }
  pages->start(3 * memory.used() / 2 + for_small_programs);
  race_pages_ = pages;
  race_checker_ = std::make_unique<GlobalRaces>(*pages, kernel.code.size(), *this);
  global_races = race_checker_.get();
}

bool GridRun::look_up(DeviceAddress address, std::uint64_t bytes, bool writes) {
  const bool bounds = request.checks.looks_for(FindingKind::out_of_bounds);
  const bool freed = request.checks.looks_for(FindingKind::use_after_free);
  const Allocation* allocation = bounds || freed ? memory.find(address) : nullptr;
  if ((bounds || freed) && !allocation) {
    // Between live allocations, where one of the two mistakes may be none.
    const Allocation* nearest = memory.nearest(address);
    const bool was_one = nearest && address - nearest->begin < nearest->size;
    if (was_one ? freed : bounds) return false;
    if (was_one) allocation = nearest;
  }
  window_read_only_ = allocation && allocation->read_only && bounds;
  if (allocation) {
    window_begin_ = allocation->begin;
    window_end_ = allocation->begin + allocation->size;
  } else if (freed) {
    // Nothing beyond what one lane accesses, for that may have been freed.
    if (bytes > widest_access) return false;
    window_begin_ = std::max(address, GlobalMemory::base);
    window_end_ = std::min(address + bytes, memory.end());
  } else {
    window_begin_ = GlobalMemory::base;
    window_end_ = memory.end();
  }
  return address >= window_begin_ && address < window_end_ && bytes <= window_end_ - address &&
         !(writes && window_read_only_);
}

void GridRun::count_line(Warp& warp, const Inst& inst, std::uint64_t line, std::uint32_t sectors,
                         bool writes) {
  InstructionCounts& count = counts[inst.source];
  if (!writes && !use_of(inst).passes_l1) {
    const std::uint32_t misses = warp.block->l1.misses(line, sectors);
    count.l1_hits += static_cast<std::uint32_t>(std::popcount(sectors & ~misses));
    if (misses == 0) return;
    sectors = misses;
  }
  if (!writes && use_of(inst).polls) atomic_queues.add_load(line * 128);
  ++count.l2_lines;
  const L2Cache::Outcome outcome = l2.access(line * 128, sectors, writes);
  count.add(outcome);
  warp.outcome.l2 = true;
  warp.outcome.dram = warp.outcome.dram || outcome.dram_reads != 0;
}

/// Of a run the L1 looks at one line a cycle (model/measure/atomics_and_l1.csv).
std::uint32_t GridRun::count_global_run(Warp& warp, const Inst& inst, DeviceAddress address,
                                        std::uint32_t bytes, bool writes) {
  const std::uint64_t first = address / 32, last = (address + bytes - 1) / 32;
  const auto sectors = static_cast<std::uint32_t>(last - first + 1);
  InstructionCounts& count = counts[inst.source];
  ++count.global_requests;
  count.global_sectors += sectors;
  count.global_ideal += (bytes + 31) / 32;
  count.l1_passes += last / 4 - first / 4 + 1;
  warp.outcome.sectors += sectors;
  for (std::uint64_t line = first / 4; line <= last / 4; ++line) {
    std::uint32_t mask = 0xf;
    if (line == first / 4) mask &= 0xfu << (first % 4);
    if (line == last / 4) mask &= 0xfu >> (3 - last % 4);
    count_line(warp, inst, line, mask, writes);
  }
  if (writes) {
    RecentStores& recent = warp.block->recent_stores;
    if (address % 32 != 0) count.rewritten += recent.add(first);
    if ((address + bytes) % 32 != 0 && last != first) count.rewritten += recent.add(last);
  }
  return sectors;
}

std::uint32_t GridRun::count_global(Warp& warp, const Inst& inst, const LineTouches& touches,
                                    std::uint32_t ideal, bool writes) {
  const std::uint32_t sectors = touches.sectors();
  InstructionCounts& count = counts[inst.source];
  ++count.global_requests;
  count.global_sectors += sectors;
  count.global_ideal += std::min(ideal, sectors);
  count.l1_passes += l1_passes(touches);
  warp.outcome.sectors += sectors;
  for (std::uint32_t i = 0; i < touches.count; ++i) {
    const LineTouch& touch = touches.lines[i];
    count_line(warp, inst, touch.line, touch.sectors, writes);
    // Of a line more than one sector of which is stored to, at most the outer two are in part.
    if (writes && std::has_single_bit(touch.sectors)) {
      count.rewritten +=
          warp.block->recent_stores.add(touch.line * 4 + std::countr_zero(touch.sectors));
    }
  }
  return sectors;
}

void GridRun::add_pattern(const Inst& inst, const std::uint64_t* addresses, LaneMask mask,
                          std::uint32_t cost, std::uint32_t ideal) {
  PatternSamples& samples = patterns_[inst.source];
  samples.bytes = std::uint32_t{inst.width} * inst.count;
  AccessPattern pattern = pattern_of(addresses, mask, samples.bytes);
  pattern.cost = cost;
  pattern.ideal = ideal;
  samples.add(pattern);
}

void GridRun::count_atomic(Warp& warp, const Inst& inst, const std::uint64_t* addresses,
                           LaneMask mask, bool aggregated, bool is_float) {
  InstructionCounts& count = counts[inst.source];
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

void GridRun::count_lines(InstructionCounts& count, const LineTouches& touches) {
  for (std::uint32_t i = 0; i < touches.count; ++i) {
    const LineTouch& touch = touches.lines[i];
    // Read, changed and written where it is.
    const L2Cache::Outcome outcome = l2.access(touch.line * 128, touch.sectors, false);
    l2.access(touch.line * 128, touch.sectors, true);
    count.add(outcome);
  }
}

std::uint64_t GridRun::issued() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (kernel.origins[i].instruction) sum += counts[i].executed;
  }
  return sum;
}

bool GridRun::is_sampled(std::uint64_t block) const {
  const std::uint64_t total = request.grid.count();
  for (std::uint64_t i = 0; i < samples; ++i) {
    if (block == (total - 1) * i / (samples - 1)) return true;
  }
  return false;
}

void GridRun::sample(Block& block) {
  if (!block.timed || !is_sampled(block.linear)) return;
  for (const Warp& warp : block.warps) {
    block.end_time = std::max(block.end_time, warp.times.next);
  }
  latency_sum_ += block.end_time;
  ++latency_samples_;
  block.timed = false;
}

void GridRun::retire(Block& block) {
  sample(block);
  releases.end_block(block.linear);
  ++finished_blocks_;
  check_budget(nullptr);
}

void GridRun::run_blocks() {
  const std::uint64_t total = request.grid.count();
  const std::uint64_t resident = std::clamp<std::uint64_t>(request.resident_blocks, 1, total);
  std::vector<std::unique_ptr<Block>> slots;
  std::vector<Block*> free, active;  // active: in launch order
  std::uint64_t next = 0;
  const auto launch = [&] {
    if (free.empty()) {
      slots.push_back(std::make_unique<Block>(*this));
      free.push_back(slots.back().get());
    }
    active.push_back(free.back());
    free.pop_back();
    active.back()->start(next, is_sampled(next) || kernel.reads_clock);
    ++next;
  };
  std::uint64_t random = request.schedule_seed;
  std::size_t turn = 0;
  std::uint64_t waits = 0;
  const auto step = [&] {
    if (request.schedule_seed != 0) {
      while (active.size() < resident && next < total) launch();
      turn = draw(random) % active.size();
    } else if (turn >= active.size()) {
      // All that are here wait: another one comes if there is room, else the oldest is next.
      if (active.size() < resident && next < total) {
        launch();
      } else {
        turn = 0;
      }
    }
    Block* block = active[turn];
    const Block::Progress progress = block->run();
    if (progress == Block::Progress::got_on) ++turns_used_;
    if (progress == Block::Progress::finished) {
      retire(*block);
      free.push_back(block);
      active.erase(active.begin() + static_cast<std::ptrdiff_t>(turn));
    } else {
      ++turn;
      if (++waits % waits_between_checks == 0) check_stuck(active);
    }
  };
  try {
    while (next < total || !active.empty()) step();
  } catch (const GridStop&) {
    for (Block* block : active) sample(*block);
    throw;
  }
}

GridResult GridRun::run() {
  if (!kernel.unsupported.empty()) throw Unsupported(kernel.unsupported);
  if (request.grid.count() == 0 || request.block.count() == 0) return {};
  if (kernel.uses_grid_workspace) {
    std::fill_n(memory.host(program.grid_workspace), 64, std::byte{0});
  }
  if (request.checks.looks_for(FindingKind::global_race)) start_race_checker();
  try {
    run_blocks();
  } catch (const GridStop&) {
    // The finding that ended it is recorded.
  }
  return result();
}

Counters GridRun::counters_of(std::size_t index) const {
  const InstructionCounts& n = counts[index];
  const ptx::Instruction& instruction = *kernel.origins[index].instruction;
  const InstructionClass& kind = kernel.classes[index];
  const std::string& opcode = instruction.opcode;
  const bool stores =
      opcode == "st" || opcode == "stmatrix" || (opcode == "wmma" && instruction.has("store"));
  Counters c;
  c.warp_instructions = n.executed;
  c.machine_instructions = n.executed * kind.machine_instructions;
  c.thread_instructions = n.lanes;
  if (opcode == "brx" || (opcode == "bra" && instruction.guard >= 0)) {
    c.branches = n.executed;
    c.divergent_branches = n.divergent;
  }
  if (kind.unit == Unit::barrier && kernel.code[index].control == Control::barrier) {
    c.barriers = n.executed;
  }
  if (kind.unit == Unit::atomic) {
    c.global_atomic_requests = n.global_requests;
    c.global_atomic_sectors = n.global_sectors;
    c.global_atomic_serial = n.global_serial;
    c.shared_atomic_requests = n.shared_requests;
    c.shared_atomic_wavefronts = n.shared_wavefronts;
    c.shared_atomic_ideal = n.shared_ideal;
    c.shared_atomic_rounds = n.shared_rounds;
    c.shared_atomic_contended = n.shared_contended;
  } else if (stores) {
    c.global_store_requests = n.global_requests;
    c.global_store_sectors = n.global_sectors;
    c.global_store_ideal_sectors = n.global_ideal;
    c.shared_store_requests = n.shared_requests;
    c.shared_store_wavefronts = n.shared_wavefronts;
    c.shared_store_ideal = n.shared_ideal;
  } else if (opcode == "cp") {  // one instruction reads global memory and writes shared memory
    c.global_load_requests = n.global_requests;
    c.global_load_sectors = n.global_sectors;
    c.global_load_ideal_sectors = n.global_ideal;
    c.shared_store_requests = n.shared_requests;
    c.shared_store_wavefronts = n.shared_wavefronts;
    c.shared_store_ideal = n.shared_ideal;
  } else {
    c.global_load_requests = n.global_requests;
    c.global_load_sectors = n.global_sectors;
    c.global_load_ideal_sectors = n.global_ideal;
    c.shared_load_requests = n.shared_requests;
    c.shared_load_wavefronts = n.shared_wavefronts;
    c.shared_load_ideal = n.shared_ideal;
  }
  c.l1_hit_sectors = n.l1_hits;
  c.l1_passes = n.l1_passes;
  (stores ? c.l2_write_lines : c.l2_read_lines) = n.l2_lines;
  c.rewritten_sectors = n.rewritten;
  c.local_requests = n.local_requests;
  c.local_sectors = n.local_sectors;
  c.constant_requests = n.constant_requests;
  c.constant_passes = n.constant_passes;
  c.texture_requests = n.texture_requests;
  c.texture_sectors = n.texture_sectors;
  if (opcode == "shfl") c.shuffle_instructions = n.executed;
  c.match_values = n.match_values;
  if (kind.unit == Unit::special) c.special_instructions = n.executed;
  if (kind.unit == Unit::single_precision) c.float_instructions = n.executed;
  if (kind.unit == Unit::integer) c.integer_instructions = n.executed;
  if (kind.unit == Unit::double_precision) c.double_instructions = n.executed;
  c.flops = n.lanes * kind.flops;
  c.dram_read_sectors = n.dram_reads;
  c.dram_write_sectors = n.dram_writes;
  c.l2_hit_sectors = n.l2_hits;
  c.dram_read_lines = n.dram_read_lines;
  c.dram_write_lines = n.dram_write_lines;
  return c;
}

void GridRun::add_accesses(std::size_t instruction, const Counters& c, LineCounters& line) const {
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

/// Barriers that not all threads have come to stand first: what they would have ordered is not.
/// Then races: who reads too early may read what is not there yet, and then that is no mistake of
/// its own.
void GridRun::sort_findings() {
  const auto rank = [](const Finding& finding) {
    return finding.kind == FindingKind::skipped_barrier      ? 0
           : finding.kind == FindingKind::uninitialized_read ? 2
                                                             : 1;
  };
  const auto same = [](const SourcePosition& a, const SourcePosition& b) {
    return a.line == b.line && a.file == b.file;
  };
  std::vector<bool> left_out = blame_barriers();
  for (std::size_t i = 0; i < findings_.size(); ++i) {
    if (rank(findings_[i]) != 2) continue;
    left_out[i] = std::ranges::any_of(findings_, [&](const Finding& race) {
      return rank(race) != 2 &&
             (same(race.where, findings_[i].where) || same(race.other, findings_[i].where));
    });
  }
  std::vector<Finding> kept;
  for (std::size_t i = 0; i < findings_.size(); ++i) {
    if (!left_out[i]) kept.push_back(std::move(findings_[i]));
  }
  std::ranges::stable_sort(kept, {}, rank);
  findings_ = std::move(kept);
}

GridResult GridRun::result() {
  sort_findings();
  GridResult result;
  std::map<std::pair<std::string, std::uint32_t>, LineCounters> lines;
  std::uint32_t phase = 0;
  bool new_phase = true, barrier = false;  // of what comes next
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i].executed == 0 || !kernel.origins[i].instruction) continue;
    const Counters counters = counters_of(i);
    result.counters += counters;
    for (; phase < kernel.phases.of[i]; ++phase) {
      barrier = barrier || kernel.phases.behind_barrier[phase + 1];
      new_phase = true;
    }
    if (std::exchange(new_phase, false)) {
      result.phases.push_back({{}, std::exchange(barrier, false)});
    }
    result.phases.back().counters += counters;
    const ptx::Location& at = location(static_cast<std::uint32_t>(i));
    if (at.line == 0) continue;
    // A helper in the kernel's own file is charged where it stands, not where it is called.
    LineCounters& line = lines[{file_name(at.file), at.own_line}];
    line.counters += counters;
    add_accesses(i, counters, line);
  }
  for (auto& [at, line] : lines) {
    line.file = at.first;
    line.line = at.second;
    result.lines.push_back(std::move(line));
  }
  for (Finding& finding : findings_) finding.message += inlining_of(finding);
  result.findings = std::move(findings_);
  if (end_) {
    end_->message += inlining_of(*end_);
    if (request.checks.looks_for(end_->kind)) {
      result.reason = end_->message;
      const bool first = end_->kind == FindingKind::barrier_divergence;
      result.findings.insert(first ? result.findings.begin() : result.findings.end(),
                             std::move(*end_));
    } else {
      result.reason = title_of(*end_) + ": " + end_->message;
    }
  }
  result.unchecked = unchecked_memory();
  result.error = error_;
  if (device_runtime_) result.work = std::move(device_runtime_->work);
  result.block_latency_cycles = latency_samples_ == 0 ? 0 : latency_sum_ / latency_samples_;
  result.atomic_queues = atomic_queues.longest();
  return result;
}

GridResult run_grid(const GridRequest& request, GlobalMemory& memory, L2Cache& l2) {
  return GridRun(request, memory, l2).run();
}

}  // namespace gridstride::sim
