// See texture_access.h.
#include "common/simulator/isa/texture/texture_access.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/warp.h"

namespace gridstride::sim {
namespace {

[[noreturn]] void stop(const Warp& warp, const Inst& inst, FindingKind kind, std::uint32_t lane,
                       const std::string& what) {
  Finding finding;
  finding.kind = kind;
  finding.kernel = warp.grid->kernel.name;
  finding.where = warp.grid->names.position(inst.source);
  finding.message = warp.grid->names.thread(thread_of(warp, lane)) + what;
  finding.message[0] = 'T';  // it starts with "thread"
  warp.grid->findings.stop(std::move(finding), error_illegal_address);
}

[[noreturn]] void no_object(const Warp& warp, const Inst& inst, std::uint32_t lane, ObjectId handle,
                            const std::string& kind) {
  const TextureRegistry* registry = warp.grid->request.textures;
  const std::string title = std::to_string(handle) + " as a " + kind + " object";
  if (registry && (registry->texture(handle) || registry->surface(handle))) {
    stop(warp, inst, FindingKind::invalid_instruction, lane,
         " uses the object " + title + ", which it is not.");
  }
  if (registry && registry->was_given_out(handle)) {
    stop(warp, inst, FindingKind::use_after_free, lane,
         " uses " + title + ", which has been destroyed.");
  }
  stop(warp, inst, FindingKind::out_of_bounds, lane,
       " uses " + title + ", but there never was one. Was the handle passed to the kernel?");
}

void check_array(const Warp& warp, const Inst& inst, std::uint32_t lane, const TexelRegion& region,
                 const std::string& kind) {
  if (region.array == 0 || warp.grid->request.textures->has_array(region.array)) return;
  stop(warp, inst, FindingKind::use_after_free, lane,
       " uses a " + kind + " object whose array has been freed.");
}

}  // namespace

template <class Use>
std::uint32_t TouchedSectors::for_each_line(Warp& warp, const Inst& inst, Use&& use) {
  InstructionCounts& count = warp.grid->counters.of(inst);
  ++count.texture_requests;
  std::sort(sectors_.begin(), sectors_.begin() + static_cast<std::ptrdiff_t>(count_));
  std::uint32_t lines = 0;
  for (std::size_t i = 0; i < count_;) {
    const std::uint64_t line = sectors_[i] / 4;
    std::uint32_t mask = 0;
    for (; i < count_ && sectors_[i] / 4 == line; ++i) mask |= 1u << sectors_[i] % 4;
    const auto sectors = static_cast<std::uint32_t>(std::popcount(mask));
    count.texture_sectors += sectors;
    warp.outcome.sectors += sectors;
    ++lines;
    use(line, mask);
  }
  warp.outcome.passes += lines;
  return lines;
}

void TouchedSectors::count_surface(Warp& warp, const Inst& inst, bool writes) {
  AccessCounters& counters = warp.grid->counters;
  InstructionCounts& count = counters.of(inst);
  count.texture_passes += for_each_line(warp, inst, [&](std::uint64_t line, std::uint32_t sectors) {
    const L2Cache::Outcome outcome = counters.l2().access(line * 128, sectors, writes);
    count.dram_reads += outcome.dram_reads + outcome.fills;
    count.dram_writes += outcome.dram_writes;
    count.dram_lone_reads += outcome.lone_reads;
    count.l2_hits += outcome.hits;
    warp.outcome.l2 = true;
    warp.outcome.dram = warp.outcome.dram || outcome.waits;
  });
}

void TouchedSectors::count_fetch(Warp& warp, const Inst& inst, std::uint32_t cycles) {
  AccessCounters& counters = warp.grid->counters;
  const std::uint32_t lines =
      for_each_line(warp, inst, [&](std::uint64_t line, std::uint32_t sectors) {
        counters.count_fetched_line(warp, inst, line, sectors);
      });
  // Texels at 32 places take 18 cycles, filtered ones, of 45 lines, 25 (model/measure/textures.csv).
  const std::uint32_t by_lines = (4 * lines + 6) / 7;
  counters.of(inst).texture_passes += std::max(cycles, by_lines);
}

const Texture& texture_of(Warp& warp, const Inst& inst, std::uint32_t lane, ObjectId handle) {
  const TextureRegistry* registry = warp.grid->request.textures;
  const Texture* texture = registry ? registry->texture(handle) : nullptr;
  if (!texture) no_object(warp, inst, lane, handle, "texture");
  check_array(warp, inst, lane, texture->region, "texture");
  return *texture;
}

const TexelRegion& surface_of(Warp& warp, const Inst& inst, std::uint32_t lane, ObjectId handle) {
  const TextureRegistry* registry = warp.grid->request.textures;
  const TexelRegion* region = registry ? registry->surface(handle) : nullptr;
  if (!region) no_object(warp, inst, lane, handle, "surface");
  check_array(warp, inst, lane, *region, "surface");
  return *region;
}

void check_initialised(Warp& warp, const Inst& inst, std::uint32_t lane, DeviceAddress address,
                       std::uint32_t bytes) {
  if (!warp.grid->request.checks.looks_for(FindingKind::uninitialized_read)) return;
  if (warp.grid->memory.initialised().all_of_lane(address - GlobalMemory::base, bytes)) return;
  warp.grid->findings.uninitialized_read(thread_of(warp, lane), inst.source, ptx::Space::global,
                                         {~0u, address, bytes});
}

void mark_initialised(Warp& warp, DeviceAddress address, std::uint32_t bytes) {
  warp.grid->memory.initialised().set_lane(address - GlobalMemory::base, bytes);
}

void outside_surface(const Warp& warp, const Inst& inst, std::uint32_t lane,
                     const TexelRegion& region, const std::array<std::int32_t, 3>& at,
                     bool writes) {
  const std::uint32_t texel = region.format.bytes();
  std::string message =
      fmt::format(" {} a surface at byte {} of row {}", writes ? "writes" : "reads", at[0], at[1]);
  if (region.depth > 1) {
    message += fmt::format(" of {} {}", region.layered ? "layer" : "slice", at[2]);
  }
  message += fmt::format(
      ", outside its array of {} x {} x {} texels of {} {}. x is given in bytes: column times the "
      "size of a texel.",
      region.width, region.height, region.depth, texel, texel == 1 ? "byte" : "bytes");
  stop(warp, inst, FindingKind::out_of_bounds, lane, message);
}

}  // namespace gridstride::sim
