// See intrinsic_arguments.h.
#include "common/simulator/device_runtime/intrinsic_arguments.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "common/simulator/base/address_spaces.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/program/call_site.h"

namespace gridstride::sim {
namespace {

constexpr std::size_t longest_text = 4096;  // of one string that a kernel names

std::byte* params_of(const Warp& warp, std::uint32_t lane) {
  return warp.frame->params + std::size_t{lane} * warp.frame->function->frame.param_bytes;
}

}  // namespace

std::uint64_t intrinsic_argument(const Warp& warp, const CallSite& site, std::size_t index,
                                 std::uint32_t lane) {
  const std::span<const std::byte> bytes = intrinsic_argument_bytes(warp, site, index, lane);
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), std::min<std::size_t>(bytes.size(), sizeof value));
  return value;
}

std::span<const std::byte> intrinsic_argument_bytes(const Warp& warp, const CallSite& site,
                                                    std::size_t index, std::uint32_t lane) {
  const ParamCopy& slot = site.arguments.at(index);
  return {params_of(warp, lane) + slot.from, slot.bytes};
}

void set_intrinsic_result(Warp& warp, const CallSite& site, std::uint32_t lane,
                          std::uint64_t value) {
  if (site.results.empty()) return;
  const ParamCopy& slot = site.results.front();
  std::memcpy(params_of(warp, lane) + slot.from, &value, std::min<std::size_t>(slot.bytes, 8));
}

std::byte* resolve_generic(const Warp& warp, std::uint32_t lane, std::uint64_t address,
                           std::uint64_t bytes) {
  if (in_window(address, local_window)) {
    const std::uint64_t offset = address - local_window, size = warp.grid->kernel.local_stack;
    if (offset > size || bytes > size - offset) return nullptr;
    std::byte* const place = warp.local + std::size_t{lane} * size + offset;
    // The caller may write there, and that counts.
    Block& block = *warp.block;
    if (block.local_initialised) block.local_initialised->set(block.local_offset(place), bytes);
    return place;
  }
  if (in_window(address, shared_window)) {
    const std::uint64_t offset = address - shared_window, size = warp.grid->shared_bytes;
    if (offset > size || bytes > size - offset) return nullptr;
    if (warp.block->shared_initialised) warp.block->shared_initialised->set(offset, bytes);
    return warp.block->shared.data() + offset;
  }
  if (!warp.grid->memory.contains(address, bytes)) return nullptr;
  warp.grid->memory.initialised().set(address - GlobalMemory::base, bytes);
  return warp.grid->memory.host(address);
}

void check_written(const Warp& warp, const Inst& inst, std::uint32_t lane, std::uint64_t address,
                   std::uint32_t bytes) {
  GridRun& grid = *warp.grid;
  const Block& block = *warp.block;
  if (!grid.request.checks.looks_for(FindingKind::uninitialized_read)) return;
  const auto report = [&](ptx::Space space, std::uint32_t missing, std::uint64_t at) {
    if (missing == 0) return;
    const auto first = static_cast<std::uint32_t>(std::countr_zero(missing));
    const auto* const left =
        space == ptx::Space::local ? warp.followed.find_local(lane, at + first) : nullptr;
    const UnwrittenRead read =
        left ? left->read : UnwrittenRead{nullptr, space, {missing, at, bytes}};
    if (read.instruction)
      return grid.findings.uninitialized_read(thread_of(warp, lane), read, inst.source);
    grid.findings.uninitialized_read(thread_of(warp, lane), inst.source, space, read.loaded);
  };
  if (in_window(address, local_window)) {
    const std::uint64_t offset = address - local_window, size = grid.kernel.local_stack;
    if (!block.local_initialised || offset > size || bytes > size - offset) return;
    const std::byte* const place = warp.local + std::size_t{lane} * size + offset;
    report(ptx::Space::local,
           block.local_initialised->missing_of_lane(block.local_offset(place), bytes), offset);
  } else if (in_window(address, shared_window)) {
    const std::uint64_t offset = address - shared_window, size = grid.shared_bytes;
    if (!block.shared_initialised || offset > size || bytes > size - offset) return;
    report(ptx::Space::shared, block.shared_initialised->missing_of_lane(offset, bytes), offset);
  } else if (grid.memory.contains(address, bytes)) {
    const std::uint64_t offset = address - GlobalMemory::base;
    report(ptx::Space::global, grid.memory.initialised().missing_of_lane(offset, bytes), address);
  }
}

std::string text_at(const Warp& warp, const Inst& inst, std::uint32_t lane, std::uint64_t address) {
  std::string text;
  while (text.size() < longest_text) {
    check_written(warp, inst, lane, address + text.size(), 1);
    const std::byte* at = resolve_generic(warp, lane, address + text.size(), 1);
    if (!at)
      warp.grid->findings.bad_global(thread_of(warp, lane), inst.source, address + text.size(), 1,
                                     Access::load);
    if (*at == std::byte{0}) break;
    text.push_back(static_cast<char>(*at));
  }
  return text;
}

}  // namespace gridstride::sim
