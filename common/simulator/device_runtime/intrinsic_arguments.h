// What intrinsics of the device runtime share: arguments, results, the memory they name.
//
// Arguments lie in the caller's .param variables, results go there.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/interpreter.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/program/call_site.h"

namespace gridstride::sim {

/// Up to 8 bytes, zero-extended.
std::uint64_t intrinsic_argument(const Warp& warp, const CallSite& site, std::size_t index,
                                 std::uint32_t lane);
/// The bytes of an argument that is a structure.
std::span<const std::byte> intrinsic_argument_bytes(const Warp& warp, const CallSite& site,
                                                    std::size_t index, std::uint32_t lane);
void set_intrinsic_result(Warp& warp, const CallSite& site, std::uint32_t lane,
                          std::uint64_t value);

/// Where `bytes` bytes at a generic address are on the host, or null.
std::byte* resolve_generic(const Warp& warp, std::uint32_t lane, std::uint64_t address,
                           std::uint64_t bytes);

/// `bytes` bytes at a generic address are about to be printed, and must have been written.
void check_written(const Warp& warp, const Inst& inst, std::uint32_t lane, std::uint64_t address,
                   std::uint32_t bytes);

/// The text at a generic address, up to its zero. Throws GridStop when it lies nowhere.
std::string text_at(const Warp& warp, const Inst& inst, std::uint32_t lane, std::uint64_t address);

/// Stores `value` at a generic address, as a pointer argument says. Throws GridStop when nothing is
/// there.
template <class T>
void store_at(Warp& warp, const Inst& inst, std::uint32_t lane, std::uint64_t address,
              const T& value) {
  std::byte* to = resolve_generic(warp, lane, address, sizeof value);
  if (!to)
    warp.grid->findings.bad_global(thread_of(warp, lane), inst.source, address, sizeof value,
                                   Access::store);
  std::memcpy(to, &value, sizeof value);
}

/// Calls `visit(lane)` for each lane of `mask`.
template <class Visit>
void for_each_lane(LaneMask mask, const Visit& visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<std::uint32_t>(std::countr_zero(mask)));
}

}  // namespace gridstride::sim
