// Blocks in flight.
#include "common/simulator/exec/grid_run.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "common/simulator/base/pseudorandom.h"
#include "common/simulator/base/unsupported.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/device_runtime.h"
#include "common/simulator/exec/scoreboard.h"
#include "common/simulator/exec/trace_recorder.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/findings/diagnostic_text.h"
#include "common/simulator/findings/launched_grids.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {
namespace {

/// Blocks of a grid on which the scoreboard runs: enough to see ragged ends, few enough to be
/// cheap.
constexpr std::uint64_t samples = 4;

// A check walks over the whole program.
constexpr std::uint64_t waits_between_checks = 1024;  // times that blocks yield
constexpr std::uint64_t blocks_between_checks = 8;    // that end without having looped for long

}  // namespace

GridRun::GridRun(const GridRequest& what, GlobalMemory& device_memory, L2Cache& l2)
    : request(what),
      program(*what.program),
      kernel(what.program->kernels.at(what.kernel)),
      memory(device_memory),
      shared_bytes(static_cast<std::uint32_t>(kernel.static_shared + what.dynamic_shared)),
      names(program, kernel, memory, request.grid, request.block, shared_bytes),
      findings(kernel, memory, request.checks, names, shared_bytes),
      counters(kernel, l2),
      window(memory, request.checks),
      cache(request.cache ? *request.cache : own_cache_) {}

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

DeviceAddress GridRun::allocate_on_heap(std::uint64_t bytes) const {
  const DeviceAddress address = heap().allocate(bytes);
  if (address != 0 && global_races) global_races->handed_over(address, bytes);
  return address;
}

DeviceRuntimeHost& GridRun::device_host() {
  if (request.device_runtime) return *request.device_runtime;
  throw Unsupported("dynamic parallelism in " + kernel.name +
                    " needs a device, which this grid runs without: it is not supported by the "
                    "simulated GPU");
}

/// The shadow may take one and a half bytes for each that is allocated, and a little more for small
/// programs. With the data itself, which bytes are initialised, and the checker's records (more
/// than a byte for each that is accessed in single bytes) that stays below four. Of a device with
/// more memory than grading's, half a byte: its memory is half of the host's.
void GridRun::start_race_checker() {
  constexpr std::uint64_t for_small_programs = std::uint64_t{32} << 20;
  constexpr std::uint64_t for_large_programs = std::uint64_t{4} << 30;
  RacePages* pages = request.race_pages;
  if (request.launched && request.launched->races) {
    race_pages_ = pages;
    global_races = request.launched->races.get();
    global_races->begin_grid(request.launched->order, request.launched_as, request.before,
                             kernel.code.size(), findings, kernel.different_atomics());
    findings.set_launched(*request.launched);
    return;
  }
  if (!pages) {
    own_race_pages_ = std::make_unique<RacePages>(GlobalMemory::base);
    pages = own_race_pages_.get();
  }
  pages->start(std::min(3 * memory.used() / 2 + for_small_programs,
                        std::max(for_large_programs, memory.capacity() / 2)));
  race_pages_ = pages;
  race_checker_ = std::make_unique<GlobalRaces>(*pages, kernel.code.size(), findings,
                                                kernel.different_atomics());
  global_races = race_checker_.get();
}

bool GridRun::is_sampled(std::uint64_t block) const {
  const std::uint64_t total = request.grid.count();
  for (std::uint64_t i = 0; i < samples; ++i) {
    if (block == (total - 1) * i / (samples - 1)) return true;
  }
  return false;
}

bool GridRun::is_of_first_round(std::uint64_t block) const {
  return block < std::max(request.resident_blocks, 1u);
}

bool GridRun::is_recorded(std::uint64_t block) const {
  return request.recorder && request.recorder->records(block);
}

void GridRun::sample(Block& block) {
  if (!block.timed || !block.sampled) return;
  for (const Warp& warp : block.warps) {
    block.end_time = std::max(block.end_time, warp.times.next);
  }
  latency_sum_ += block.end_time;
  if (kernel.draws_work) note_draws(block);
  if (block.linear == 0) {
    first_latency_ = block.end_time;
  } else if (block.of_first_round) {
    together_latency_ += block.end_time;
    ++together_samples_;
  }
  ++latency_samples_;
  block.timed = false;
}

void GridRun::note_draws(const Block& block) {
  if (block.linear == first_block) {
    first_draws_ = block.draws;
    for (const Warp& warp : block.warps) first_ends_.push_back(warp.times.next);
    return;
  }
  int in_vain = 0;
  for (const Draw& draw : block.draws) in_vain += draw.lanes;
  behind_queue_ = longest_behind_queue(first_draws_, in_vain, first_ends_);
}

void GridRun::note_work(bool sampled) {
  constexpr std::uint64_t most_blocks = 1 << 16;  // more even out
  constexpr std::uint32_t most_samples_behind = 8;
  if (request.grid.count() > most_blocks || !one_after_the_other_) return;
  not_looked_at_sampled_ += sampled;
  const bool is_last = finished_blocks_ + 1 == request.grid.count();
  if (++not_looked_at_ < blocks_at_a_look_ && !is_last) return;
  const std::uint64_t sum = counters.issued();
  const std::uint64_t work = (sum - std::exchange(known_work_, sum)) / not_looked_at_;
  block_work_.insert(block_work_.end(), not_looked_at_, work);
  sampled_work_ += work * not_looked_at_sampled_;
  if (not_looked_at_sampled_ != 0) most_sampled_work_ = std::max(most_sampled_work_, work);
  if (work > 2 * most_sampled_work_ && samples_behind_ < most_samples_behind) {
    ++samples_behind_;
    next_is_sampled_ = true;
  }
  not_looked_at_ = not_looked_at_sampled_ = 0;
  // A look takes some 15 host instructions for each of the code, a warp instruction 100: a hundredth.
  constexpr std::uint64_t work_for_a_look = 16;
  blocks_at_a_look_ = 1 + work_for_a_look * kernel.code.size() / (work + 1);
}

void GridRun::retire(Block& block) {
  note_work(block.timed && block.sampled);
  sample(block);
  if (block.recorder) block.recorder->end_block(block);
  waiting_polls.end_block(block.linear);
  endless_loops.end_block(block.linear);
  // As many as fit run at the same time. Those that want no results of atomics are gone while these still
  // queue, and the next ones queue behind: of additions to ordered places an H200 does 5.0e9 (floats) and
  // 5.5e9 a second, where the blocks that fit have places that take 2.7e9 a second
  // (model/measure/queued_atomics.csv).
  const std::uint64_t queueing = kernel.waits_for_atomics ? 1 : 2;
  if (++finished_blocks_ % (queueing * std::max(request.resident_blocks, 1u)) == 0) {
    counters.atomic_queues.next_blocks();
  }
  constexpr std::size_t most_named = 4;
  if (first_finished_.size() < most_named) first_finished_.push_back(block.linear);
  const bool is_last = finished_blocks_ == request.grid.count();
  if (is_last || finished_blocks_ % blocks_between_checks == 0) check_budget(nullptr);
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
    // Hardware promises no order. In another schedule the last block starts first, so that one that
    // waits for a block with a smaller index hangs wherever not all of them have room. CUB's own
    // kernels do wait so: NVIDIA knows how its devices start blocks.
    const bool in_order = request.schedule_seed == 0 || kernel.is_of_library;
    const std::uint64_t number = in_order ? next : total - 1 - next;
    active.back()->sampled = is_sampled(number) || std::exchange(next_is_sampled_, false);
    active.back()->start(number,
                         active.back()->sampled || kernel.reads_clock || is_recorded(number));
    active.back()->of_first_round = is_of_first_round(number);
    if (next == 0) first_block = number;
    if (active.back()->timed && !active.back()->of_first_round) counters.under_way.forget();
    ++next;
  };
  std::uint64_t random = request.schedule_seed;
  std::size_t turn = 0;
  const Block* latest = nullptr;
  std::uint64_t waits = 0;
  const auto step = [&] {
    if (request.schedule_seed != 0) {
      while (active.size() < resident && next < total) launch();
      turn = draw(random) % active.size();
      // Mostly it is another block than the last one.
      if (active[turn] == latest) turn = draw(random) % active.size();
    } else if (turn >= active.size()) {
      // All that are here wait: another one comes if there is room, else the oldest is next.
      if (active.size() < resident && next < total) {
        launch();
      } else {
        turn = 0;
      }
    }
    Block* const block = active[turn];
    latest = block;
    const Block::Progress progress = block->run();
    if (progress == Block::Progress::got_on) ++turns_used_;
    if (progress == Block::Progress::finished) {
      retire(*block);
      free.push_back(block);
      active.erase(active.begin() + static_cast<std::ptrdiff_t>(turn));
    } else {
      one_after_the_other_ = false;
      ++turn;
      if (++waits % waits_between_checks == 0) check_stuck(active, total - next);
    }
  };
  try {
    while (next < total || !active.empty()) step();
  } catch (const GridStop&) {
    for (Block* block : active) {
      sample(*block);
      if (block->recorder) block->recorder->end_block(*block);
    }
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
  if (request.recorder) request.recorder->begin(*this);
  try {
    run_blocks();
  } catch (const GridStop&) {
    // The finding that ended it is recorded.
  }
  GridResult ended = result();
  if (request.recorder) request.recorder->end(ended);
  return ended;
}

}  // namespace gridstride::sim
