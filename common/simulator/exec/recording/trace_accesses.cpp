// What the lanes of a recorded warp read and write, as those tell who do it (observers.h).
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "common/simulator/base/address_spaces.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/elements.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/observers.h"
#include "common/simulator/exec/trace_recorder.h"
#include "common/simulator/program/memory_use.h"
#include "common/simulator/texture/texture_registry.h"

namespace gridstride::sim {
namespace {

/// What a place of an access takes in memory, about.
constexpr std::uint64_t place_bytes = 16;

TraceKind kind_of(Access access) {
  return access == Access::load    ? TraceKind::load
         : access == Access::store ? TraceKind::store
                                   : TraceKind::atomic;
}

/// Where the bytes lie on the host; null when they are nobody's.
const std::byte* host_of(const Warp& warp, TraceSpace space, std::uint32_t lane,
                         std::uint64_t place, std::uint64_t bytes) {
  if (space == TraceSpace::global)
    return warp.grid->memory.contains(place, bytes) ? warp.grid->memory.host(place) : nullptr;
  if (space == TraceSpace::shared) {
    const std::size_t size = warp.block->shared.size();
    return place <= size && bytes <= size - place ? warp.block->shared.data() + place : nullptr;
  }
  const std::uint64_t stack = warp.grid->kernel.local_stack;
  if (place > stack || bytes > stack - place) return nullptr;
  return warp.local + lane * stack + place;
}

template <class Each>
void for_lanes(LaneMask lanes, Each each) {
  for (; lanes != 0; lanes &= lanes - 1) each(static_cast<std::uint32_t>(std::countr_zero(lanes)));
}

std::size_t number_among(LaneMask lanes, std::uint32_t lane) {
  return static_cast<std::size_t>(std::popcount(lanes & ((1u << lane) - 1)));
}

/// What stands in memory at the lanes' places; empty when any of them is nobody's.
std::vector<std::uint64_t> found(const Warp& warp, const TraceAccess& access) {
  std::vector<std::uint64_t> values;
  values.reserve(access.places.size() * access.count);
  std::size_t i = 0;
  bool good = true;
  for_lanes(access.lanes, [&](std::uint32_t lane) {
    const std::byte* from = host_of(warp, access.space, lane, access.places[i++],
                                    std::uint64_t{access.bytes} * access.count);
    good = good && from != nullptr;
    for (std::uint32_t k = 0; good && k < access.count; ++k) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, from + std::size_t{k} * access.bytes,
                  std::min<std::size_t>(access.bytes, sizeof bits));
      values.push_back(bits);
    }
  });
  if (!good) values.clear();
  return values;
}

/// What the registers hold that are stored; as elements are, without what a wider register has above.
std::vector<std::uint64_t> brought(const Warp& warp, const Inst& inst, const TraceAccess& access) {
  std::vector<std::uint64_t> values;
  const std::uint64_t kept =
      inst.width >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * inst.width) - 1;
  for_lanes(access.lanes, [&](std::uint32_t lane) {
    for (std::uint32_t k = 0; k < access.count; ++k)
      values.push_back(element(warp, use_of(inst), k, lane) & kept);
  });
  return values;
}

std::uint32_t register_number(VectorRegister at) { return at / register_alignment; }

/// What has no registers of its own is bytes: of those, words.
bool has_elements(const Inst& inst, std::uint32_t bytes, Access access) {
  const bool whole = bytes == std::uint32_t{inst.width} * inst.count && inst.width <= 8;
  return whole && (access == Access::atomic || use_of(inst).registers[0] != no_register);
}

}  // namespace

TraceStep* TraceRecorder::open_step(const Inst& inst) {
  // An mbarrier's state does not stand in the memory that it has.
  if (!recorded_ || inst.control == Control::mbarrier) return nullptr;
  TraceStep& step = trace_->steps.back();
  return trace_->ops[step.op].seen ? &step : nullptr;
}

void TraceRecorder::push(TraceStep& step, TraceAccess access) {
  bytes_ += access.places.size() * place_bytes * access.count;
  if (access.space == TraceSpace::global)
    std::ranges::for_each(access.places, [this](auto at) { note_allocation(at); });
  step.accesses.push_back(std::move(access));
}

template <class Address>
void TraceRecorder::access(const Warp& warp, const Inst& inst, LaneMask lanes, TraceSpace space,
                           const Address* addresses, std::uint32_t bytes, Access kind,
                           bool refused) {
  TraceAccess access{space, kind_of(kind), lanes, bytes, 1, {}, {}, {}, {}, {}};
  for_lanes(lanes, [&](std::uint32_t lane) { access.places.push_back(addresses[lane]); });
  if (request_.survey) {
    if (!refused) look_for_writer(warp, access);
    return;
  }
  TraceStep* const step = open_step(inst);
  if (!step) return;
  const bool elements = has_elements(inst, bytes, kind);
  access.bytes = elements ? inst.width : std::min(bytes, 4u);
  access.count = bytes / access.bytes;
  if (kind != Access::atomic && elements && access.count > 1) {
    for (std::uint32_t k = 0; k < access.count; ++k)
      access.registers.push_back(register_number(use_of(inst).registers[k]));
  }
  if (!refused) {
    access.values = found(warp, access);
    if (kind == Access::store && elements && !access.values.empty())
      access.values = brought(warp, inst, access);
    if (kind == Access::atomic) access.after = access.values;  // until the lanes have their turns
  }
  // A store without elements brings what then stands there.
  if (kind == Access::store && !elements && !refused) unfilled_.push_back(step->accesses.size());
  push(*step, std::move(access));
}

void TraceRecorder::fill_in(const Warp& warp) {
  for (const std::size_t at : unfilled_) {
    TraceAccess& access = trace_->steps.back().accesses[at];
    access.values = found(warp, access);
  }
  unfilled_.clear();
}

void TraceRecorder::hear(const GlobalAccess& event) {
  access(event.warp, event.inst, event.mask, TraceSpace::global, event.addresses, event.bytes,
         event.access, false);
}

void TraceRecorder::hear(const SharedAccess& event) {
  access(event.warp, event.inst, event.mask, TraceSpace::shared, event.offsets, event.bytes,
         event.access, false);
}

void TraceRecorder::hear(const OtherAccess& event) {
  if (event.space == ptx::Space::param) return;
  const TraceSpace space = event.space == ptx::Space::shared  ? TraceSpace::shared
                           : event.space == ptx::Space::local ? TraceSpace::local
                                                              : TraceSpace::global;
  access(event.warp, event.inst, event.mask, space, event.addresses, event.bytes, event.access,
         event.refused);
}

/// Each lane's next texel stands with the other lanes' one of the same number.
void TraceRecorder::hear(const TexelAccess& event) {
  TraceAccess one{TraceSpace::global,
                  kind_of(event.access),
                  1u << event.lane,
                  event.bytes,
                  1,
                  {event.address},
                  {},
                  {},
                  {},
                  {}};
  if (request_.survey) return look_for_writer(event.warp, one);
  TraceStep* const step = open_step(event.inst);
  if (!step) return;
  const TexelFormat& format = event.region.format;
  const std::uint32_t channel = format.bits / 8u;
  one.bytes = event.bytes % channel == 0 && event.bytes > channel ? channel : event.bytes;
  one.count = event.bytes / one.bytes;
  one.values = found(event.warp, one);
  if (event.access == Access::atomic) {
    one.bytes = event.bytes;
    one.count = 1;
    one.after = found(event.warp, one);
    one.values = {event.found};
  }
  note_texels(event);
  const auto with = std::ranges::find_if(step->accesses, [&](const TraceAccess& known) {
    return known.lanes < one.lanes && known.bytes == one.bytes && known.count == one.count;
  });
  if (with == step->accesses.end()) return push(*step, std::move(one));
  bytes_ += place_bytes * one.count;
  with->lanes |= one.lanes;
  with->places.push_back(event.address);
  with->values.insert(with->values.end(), one.values.begin(), one.values.end());
  with->after.insert(with->after.end(), one.after.begin(), one.after.end());
}

void TraceRecorder::note_texels(const TexelAccess& event) {
  const TexelRegion& region = event.region;
  const ArrayLayout::Parts layout = region.layout.parts();
  if (layout.pitch == 0) return;  // one row of the program's own memory: that has its name
  const std::uint64_t object =
      vector_register<const std::uint64_t>(event.warp.registers, event.inst.a)[event.lane];
  for (TraceTexels& known : trace_->texels) {
    if (known.begin != region.address || known.width != region.width) continue;
    if (std::ranges::find(known.objects, object) == known.objects.end())
      known.objects.push_back(object);
    return;
  }
  const TexelFormat& format = region.format;
  TraceTexels one;
  one.begin = region.address;
  one.bytes = layout.slice_bytes * region.depth;
  one.width = region.width;
  one.height = region.height;
  one.depth = region.depth;
  one.channels = format.channels;
  one.channel_bytes = format.bits / 8u;
  one.kind = format.kind == TexelKind::floating         ? 'f'
             : format.kind == TexelKind::signed_integer ? 'i'
                                                        : 'u';
  one.layered = region.layered;
  one.layout = layout;
  one.objects = {object};
  note_allocation(region.address);
  trace_->texels.push_back(std::move(one));
}

void TraceRecorder::hear(const AtomicTurn& event) {
  if (!recorded_) return;
  for (TraceAccess& access : trace_->steps.back().accesses) {
    if (access.kind != TraceKind::atomic || !(access.lanes >> event.lane & 1)) continue;
    const std::size_t number = number_among(access.lanes, event.lane);
    TraceAccess own{access.space,
                    access.kind,
                    1u << event.lane,
                    access.bytes,
                    access.count,
                    {access.places[number]},
                    {},
                    {},
                    {},
                    {}};
    const auto now = found(event.warp, own);
    if (now.empty()) continue;
    auto& kept = event.over ? access.after : access.values;
    std::ranges::copy(now, kept.begin() + static_cast<std::ptrdiff_t>(number * access.count));
  }
}

void TraceRecorder::hear(const FragmentMoved& event) {
  if (!recorded_) return;
  for (TraceAccess& access : trace_->steps.back().accesses) {
    if (!access.registers.empty()) continue;
    const std::uint32_t lane_bytes = access.bytes * access.count;
    access.count = event.count;
    access.bytes = lane_bytes / event.count;
    // Elements that stand side by side in one register come from it alone.
    access.registers.assign(event.count, register_number(event.registers[0]));
    if (access.bytes >= 4) {
      for (std::uint32_t k = 0; k < event.count; ++k)
        access.registers[k] = register_number(event.registers[k]);
    }
    access.values = found(event.warp, access);
  }
  unfilled_.clear();
}

void TraceRecorder::hear(const MatrixRowsMoved& event) {
  if (!recorded_) return;
  constexpr std::uint32_t element = 2, rows = 8;
  TraceStep& step = trace_->steps.back();
  if (event.first_lane == 0) {
    rows_ = std::exchange(step.accesses, {});
    unfilled_.clear();
  }
  const TraceAccess& named = rows_.front();
  // Half h of lane l is element l % 4 * 2 + h of row l / 4; transposed, row and column change places.
  for (std::uint32_t half = 0; half < (event.transposed ? 2u : 1u); ++half) {
    TraceAccess access{TraceSpace::shared, named.kind, full_mask, element, 1, {}, {}, {}, {}, {}};
    access.count = event.transposed ? 1 : 2;
    access.registers.assign(access.count, register_number(event.at));
    for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
      const std::uint32_t along = lane % 4 * 2 + half, across = lane / 4;
      const std::uint32_t row = event.transposed ? along : across;
      const std::uint32_t column = event.transposed ? across : along;
      access.givers.push_back(event.first_lane + row % rows);
      access.places.push_back(named.places[event.first_lane + row] + column * element);
    }
    access.values = found(event.warp, access);
    push(step, std::move(access));
  }
}

void TraceRecorder::hear(const CopiesBegun& event) {
  if (recorded_) trace_->steps.back().arrives = event.ready;
}

void TraceObserver::record(const GlobalAccess& event) { event.warp.block->recorder->hear(event); }
void TraceObserver::record(const SharedAccess& event) { event.warp.block->recorder->hear(event); }
void TraceObserver::record(const SharedLine& event) {
  LaneLine line;
  std::uint32_t offsets[warp_size];
  record(expanded(event, line, offsets));
}
void TraceObserver::record(const OtherAccess& event) { event.warp.block->recorder->hear(event); }
void TraceObserver::record(const TexelAccess& event) { event.warp.block->recorder->hear(event); }
void TraceObserver::record(const AtomicTurn& event) { event.warp.block->recorder->hear(event); }
void TraceObserver::record(const FragmentMoved& event) { event.warp.block->recorder->hear(event); }
void TraceObserver::record(const MatrixRowsMoved& event) {
  event.warp.block->recorder->hear(event);
}
void TraceObserver::record(const CopiesBegun& event) { event.warp.block->recorder->hear(event); }

}  // namespace gridstride::sim
