// What shuffles and votes of a recorded warp give its lanes.
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/trace_recorder.h"
#include "common/simulator/exec/warp.h"

namespace gridstride::sim {
namespace {

template <class Each>
void for_members(LaneMask lanes, Each each) {
  for (; lanes != 0; lanes &= lanes - 1) each(static_cast<std::uint32_t>(std::countr_zero(lanes)));
}

}  // namespace

std::vector<std::uint64_t> results_of(const Warp& warp, const Inst& inst, const TraceOp& op,
                                      LaneMask lanes) {
  std::vector<std::uint64_t> results;
  if (inst.dst == no_register) return results;
  const bool predicate = op.text.find(".pred") != std::string::npos;
  for_members(lanes, [&](std::uint32_t lane) {
    results.push_back(predicate ? *vector_register<LaneMask>(warp.registers, inst.dst) >> lane & 1
                                : vector_register<std::uint32_t>(warp.registers, inst.dst)[lane]);
  });
  return results;
}

std::vector<std::uint32_t> sources_of(const Warp& warp, const Inst& inst, LaneMask lanes) {
  const auto& text = warp.grid->kernel.origins[inst.source];
  std::vector<std::uint32_t> sources;
  if (!text.instruction) return sources;
  for_members(lanes, [&](std::uint32_t lane) {
    const std::uint32_t clamp = vector_register<std::uint32_t>(warp.registers, inst.c)[lane];
    const std::uint32_t distance =
        vector_register<std::uint32_t>(warp.registers, inst.b)[lane] & 31;
    const std::uint32_t c = clamp & 31, segment = clamp >> 8 & 31;
    const std::uint32_t last = (lane & segment) | (c & ~segment);
    std::uint32_t from = (lane & segment) | (distance & ~segment);
    bool inside = from <= last;
    if (text.instruction->has("up")) {
      from = lane - distance;
      inside = static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(last);
    } else if (text.instruction->has("down")) {
      from = lane + distance;
      inside = from <= last;
    } else if (text.instruction->has("bfly")) {
      from = lane ^ distance;
      inside = from <= last;
    }
    sources.push_back(inside ? from & 31 : lane);
  });
  return sources;
}

}  // namespace gridstride::sim
