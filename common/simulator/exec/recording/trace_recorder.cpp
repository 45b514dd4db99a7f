// See the header.
#include "common/simulator/exec/trace_recorder.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/observers.h"
#include "common/simulator/findings/diagnostic_text.h"
#include "common/simulator/program/barrier_use.h"

namespace gridstride::sim {
namespace {

/// What a step takes in memory, about.
constexpr std::uint64_t step_bytes = 96;

std::uint64_t linear(const Dim3& extent, const Dim3& index) {
  return index.x + std::uint64_t{extent.x} * (index.y + std::uint64_t{extent.y} * index.z);
}

bool is_inside(const Dim3& extent, const Dim3& index) {
  return index.x < extent.x && index.y < extent.y && index.z < extent.z;
}

TraceWait wait_for(Latency latency) {
  switch (latency) {
    case Latency::global:
    case Latency::texture:
    case Latency::global_atomic:
    case Latency::constant:
      return TraceWait::memory;
    case Latency::shared:
    case Latency::shared_atomic:
      return TraceWait::shared;
    case Latency::branch:
      return TraceWait::branch;
    case Latency::barrier:
      return TraceWait::barrier;
    case Latency::arithmetic:
    case Latency::special:
    case Latency::double_precision:
    case Latency::shuffle:
    case Latency::match:
      return TraceWait::dependency;
  }
  return TraceWait::dependency;
}

}  // namespace

void TraceRecorder::restart() {
  launches_ = 0;
  trace_.reset();
  writer_.reset();
  earlier_.clear();
  problem_.clear();
}

void TraceRecorder::begin(const GridRun& grid) {
  grid_ = nullptr;
  const std::uint32_t number = launches_++;
  const bool fits = (request_.launch < 0 || request_.launch == number) &&
                    grid.kernel.name.find(request_.kernel) != std::string::npos;
  if (request_.survey) {
    grid_ = &grid;
    return;
  }
  if (trace_ || !fits) return;
  numbers_.clear();
  std::vector<Dim3> blocks = request_.blocks;
  if (blocks.empty()) blocks.push_back({0, 0, 0});
  const Dim3& extent = grid.request.grid;
  for (const Dim3& block : blocks) {
    if (!is_inside(extent, block)) {
      problem_ = fmt::format(
          "There is no block ({}, {}, {}) in launch {} of {}: its grid is {} x {} x {} blocks.",
          block.x, block.y, block.z, number, grid.kernel.name, extent.x, extent.y, extent.z);
      return;
    }
    numbers_.push_back(linear(extent, block));
  }
  grid_ = &grid;
  Trace& trace = trace_.emplace();
  trace.kernel = grid.kernel.name;
  trace.launch = number;
  trace.grid = extent;
  trace.block = grid.request.block;
  trace.blocks = std::move(blocks);
  trace.shared_bytes = grid.shared_bytes;
  trace.clock_hz = grid.request.clock_hz;
  const auto arguments = grid.request.arguments;
  for (const ParamSlot& slot : grid.kernel.parameters) {
    TraceParameter parameter{slot.offset, slot.bytes, {}};
    for (std::uint32_t i = 0; i < slot.bytes && slot.offset + i < arguments.size(); ++i)
      parameter.value.push_back(std::to_integer<std::uint8_t>(arguments[slot.offset + i]));
    // A number that lies in device memory is taken for a pointer.
    if (std::uint64_t address = 0; parameter.value.size() == sizeof address) {
      std::ranges::copy(parameter.value, reinterpret_cast<std::uint8_t*>(&address));
      note_allocation(address);
    }
    trace.parameters.push_back(std::move(parameter));
  }
  for (const SharedVariable& variable : grid.kernel.shared) {
    const std::uint32_t bytes =
        variable.bytes != 0 ? variable.bytes : grid.shared_bytes - variable.offset;
    trace.shared.push_back({variable.name, variable.offset, bytes});
  }
  ops_.assign(grid.kernel.code.size(), -1);
  widths_.clear();
  functions_.clear();
  types_.clear();
  number_of(*grid.kernel.functions.front());
  bytes_ = 0;
  writers_.clear();
  found_.clear();
  global_writes_.clear();
  shared_writes_.assign(numbers_.size(), {});
  fences_.assign(numbers_.size() * trace.warps_in_block(), TraceWait::none);
}

bool TraceRecorder::records(std::uint64_t block) const {
  if (grid_ == nullptr) return false;
  if (!request_.survey) return std::ranges::find(numbers_, block) != numbers_.end();
  return watched_ != 0 || (!request_.places.empty() && launches_ <= request_.until);
}

std::uint32_t TraceRecorder::row_of(const Warp& warp) const {
  const auto slot = static_cast<std::uint32_t>(std::ranges::find(numbers_, warp.block->linear) -
                                               numbers_.begin());
  return slot * trace_->warps_in_block() + warp.index;
}

bool TraceRecorder::full() {
  if (trace_->steps.size() < request_.most_steps && bytes_ < request_.most_bytes) return false;
  trace_->cut = true;
  return true;
}

std::uint32_t TraceRecorder::op_at(std::int32_t pc) {
  std::int32_t& known = ops_[static_cast<std::size_t>(pc)];
  if (known < 0) {
    known = static_cast<std::int32_t>(trace_->ops.size());
    TraceOp op = trace_op(*grid_, static_cast<std::uint32_t>(pc));
    const auto at = static_cast<std::size_t>(pc);
    const FunctionCode& function = *grid_->kernel.origins[at].function;
    op.function = number_of(function);
    widths_.push_back(widths_of(function, grid_->kernel.dependences[at].writes));
    trace_->ops.push_back(std::move(op));
  }
  return static_cast<std::uint32_t>(known);
}

std::uint32_t TraceRecorder::number_of(const FunctionCode& function) {
  const auto [known, is_new] =
      functions_.try_emplace(&function, static_cast<std::uint32_t>(trace_->functions.size()));
  if (is_new) {
    std::int32_t first_type = 0;
    if (const auto& types = function.function->source_types) {
      const auto next = static_cast<std::int32_t>(trace_->types.size());
      const auto [begin, are_new] = types_.try_emplace(types.get(), next);
      first_type = begin->second;
      for (SourceType type : are_new ? *types : std::vector<SourceType>()) {
        if (type.element >= 0) type.element += first_type;
        for (SourceType::Member& member : type.members) {
          if (member.type >= 0) member.type += first_type;
        }
        trace_->types.push_back(std::move(type));
      }
    }
    trace_->functions.push_back(trace_function(*grid_, function, first_type));
  }
  return known->second;
}

/// Which of the scoreboard's conditions held the instruction up longest.
TraceWait TraceRecorder::wait_of(Warp& warp, std::int32_t pc, double cycle) {
  const std::vector<double>& ready = warp.frame->ready;
  const std::uint32_t row = row_of(warp);
  for (const VectorRegister at : grid_->kernel.dependences[static_cast<std::size_t>(pc)].reads) {
    if (ready.empty() || ready[at / register_alignment] < cycle) continue;
    const auto writer = writers_.find({row, warp.frame, at});
    if (writer != writers_.end()) return wait_for(grid_->kernel.classes[writer->second].latency);
  }
  if (warp.times.floor >= cycle && fences_[row] != TraceWait::none) return fences_[row];
  return TraceWait::pipe;
}

std::vector<TraceEarlier> TraceRecorder::earlier() const {
  std::vector<TraceEarlier> all;
  for (const auto& [place, writer] : earlier_) all.push_back({place, writer});
  return all;
}

void TraceRecorder::look_for_writer(const Warp& warp, const TraceAccess& access) {
  if (access.space != TraceSpace::global || access.kind == TraceKind::load) return;
  const std::uint64_t bytes = std::uint64_t{access.bytes} * access.count;
  LaneMask rest = access.lanes;
  for (const std::uint64_t place : access.places) {
    const auto writer = [&] {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      return TraceWriter{launches_ - 1, grid_->kernel.name, grid_->request.grid, warp.block->index,
                         warp.index * warp_size + lane};
    };
    if (watched_ - place < bytes) writer_ = writer();
    auto wanted = std::ranges::lower_bound(request_.places, place);
    for (; wanted != request_.places.end() && *wanted - place < bytes; ++wanted)
      earlier_.insert_or_assign(*wanted, writer());
    rest &= rest - 1;
  }
}

void TraceRecorder::step(Warp& warp, std::int32_t pc, LaneMask here, LaneMask lanes, double cycle) {
  const Inst& inst = grid_->kernel.code[static_cast<std::size_t>(pc)];
  recorded_ = false;
  if (request_.survey || !grid_->kernel.origins[static_cast<std::size_t>(pc)].instruction || full())
    return;
  recorded_ = open_step_ = true;
  TraceStep step;
  step.op = op_at(pc);
  const TraceOp& op = trace_->ops[step.op];
  step.warp = row_of(warp);
  step.here = here;
  step.lanes = lanes;
  step.depth = warp.frame->depth;
  step.local_base = warp.frame->local_base;
  frame_ = warp.frame;
  step.cycle = cycle;
  step.wait = wait_of(warp, pc, cycle);
  if (op.kind == TraceKind::barrier || op.kind == TraceKind::arrive) {
    const auto& use = *static_cast<const BarrierUse*>(inst.extra);
    step.barrier = warp.splits[warp.current].first_value(use.id);
  }
  if (op.kind == TraceKind::shuffle) step.from = sources_of(warp, inst, lanes);
  bytes_ += step_bytes;
  unfilled_.clear();
  trace_->steps.push_back(std::move(step));
}

void TraceRecorder::done(Warp& warp, std::int32_t pc, LaneMask lanes) {
  if (!recorded_) return;
  open_step_ = false;
  const auto at = static_cast<std::size_t>(pc);
  TraceStep& step = trace_->steps.back();
  const TraceOp& op = trace_->ops[step.op];
  fill_in(warp);
  step.passes = warp.outcome.wavefronts;
  step.sectors = warp.outcome.sectors;
  if (op.kind == TraceKind::shuffle || op.kind == TraceKind::vote)
    step.results = results_of(warp, grid_->kernel.code[at], op, lanes);
  // A call writes nothing here, and the frame of what returned is gone.
  if (request_.registers && warp.frame == frame_ && lanes != 0) {
    step.written = values_of(warp, grid_->kernel.dependences[at].writes, widths_[step.op], lanes);
    bytes_ += step.written.size() * sizeof(std::uint64_t);
  }
  note_writes(step);
  for (const VectorRegister to : grid_->kernel.dependences[at].writes)
    writers_[{step.warp, warp.frame, to}] = static_cast<std::uint32_t>(pc);
  const SchedulingConstraint scheduling = grid_->kernel.classes[at].scheduling;
  if (scheduling == SchedulingConstraint::fixed || scheduling == SchedulingConstraint::subroutine)
    fences_[step.warp] = TraceWait::pipe;
  note_findings();
}

void TraceRecorder::undone() {
  if (!recorded_) return;
  open_step_ = false;
  trace_->steps.pop_back();
}

void TraceRecorder::note_writes(const TraceStep& step) {
  const std::size_t slot = step.warp / trace_->warps_in_block();
  for (const TraceAccess& access : step.accesses) {
    if (access.kind == TraceKind::load || access.space == TraceSpace::local) continue;
    auto& writes = access.space == TraceSpace::global ? global_writes_ : shared_writes_[slot];
    for (const std::uint64_t place : access.places) {
      for (std::uint32_t i = 0; i < access.bytes * access.count; ++i) writes[place + i] = true;
    }
  }
}

void TraceRecorder::note_allocation(std::uint64_t address) {
  for (const TraceAllocation& known : trace_->allocations) {
    if (address - known.begin < std::max<std::uint64_t>(known.bytes, 1)) return;
  }
  const Allocation* const one = grid_->memory.find(address);
  if (one)
    trace_->allocations.push_back({one->begin, one->size, one->name, allocation_title(*one)});
}

/// Findings so far that the step which has just ended completed.
void TraceRecorder::note_findings() {
  const auto& findings = grid_->findings.so_far();
  while (found_.size() < findings.size())
    found_.push_back({trace_->steps.size() - 1, findings[found_.size()]});
}

void TraceRecorder::open(const BarrierOpening& event) {
  if (request_.survey || !grid_) return;
  const auto slot =
      static_cast<std::size_t>(std::ranges::find(numbers_, event.block.linear) - numbers_.begin());
  TraceOpening opening;
  opening.before = static_cast<std::uint32_t>(trace_->steps.size());
  opening.block = static_cast<std::uint32_t>(slot);
  opening.warps = event.waiting;
  for (const Warp& warp : event.block.warps) {
    if (!(event.waiting >> warp.index & 1)) continue;
    fences_[slot * trace_->warps_in_block() + warp.index] = TraceWait::barrier;
    opening.cycle = warp.times.floor;
    opening.barrier = warp.splits.front().barrier;
  }
  if (!full()) trace_->openings.push_back(opening);
}

void TraceRecorder::end_block(Block& block) {
  if (request_.survey || !grid_ || !trace_) return;
  const auto found = std::ranges::find(numbers_, block.linear);
  const auto slot = static_cast<std::size_t>(found - numbers_.begin());
  for (const auto& [place, written] : shared_writes_[slot]) {
    if (place < block.shared.size())
      trace_->end.push_back({TraceSpace::shared, static_cast<std::uint32_t>(slot), place,
                             std::to_integer<std::uint8_t>(block.shared[place])});
  }
  if (found + 1 != numbers_.end()) return;  // the last one tells of global memory
  for (const auto& [place, written] : global_writes_) {
    if (grid_->memory.contains(place, 1))
      trace_->end.push_back({TraceSpace::global, 0, place,
                             std::to_integer<std::uint8_t>(*grid_->memory.host(place))});
  }
}

void TraceRecorder::end(const GridResult& result) {
  if (!grid_) return;
  grid_ = nullptr;
  if (request_.survey || !trace_) return;
  trace_->reason = result.reason;
  for (const Finding& finding : result.findings) {
    TraceFinding one{name_of(finding.kind), finding.message,    finding.where.file,
                     finding.where.line,    finding.other.line, -1};
    const auto step = std::ranges::find_if(found_, [&](const Found& known) {
      return known.finding.kind == finding.kind && known.finding.where.line == finding.where.line &&
             known.finding.other.line == finding.other.line;
    });
    if (step != found_.end()) one.step = static_cast<std::int64_t>(step->step);
    // What ended the launch, ended it within a step.
    const bool within = open_step_ && is_fatal(finding.kind) && !trace_->steps.empty() &&
                        trace_->ops[trace_->steps.back().op].line == finding.where.line;
    if (within) one.step = static_cast<std::int64_t>(trace_->steps.size()) - 1;
    trace_->findings.push_back(std::move(one));
  }
}

void record_step(Warp& warp, std::int32_t pc, LaneMask here, LaneMask lanes, double cycle) {
  warp.block->recorder->step(warp, pc, here, lanes, cycle);
}
void record_done(Warp& warp, std::int32_t pc, LaneMask lanes) {
  warp.block->recorder->done(warp, pc, lanes);
}
void record_undone(Warp& warp) { warp.block->recorder->undone(); }

void TraceObserver::hear(const BlockStart& event) {
  TraceRecorder* const recorder = event.block.grid.request.recorder;
  event.block.recorder = recorder && recorder->records(event.block.linear) ? recorder : nullptr;
}
void TraceObserver::record(const BarrierOpening& event) { event.block.recorder->open(event); }

}  // namespace gridstride::sim
