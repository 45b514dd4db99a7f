// What texture and surface instructions share: their objects, the counting of what they touch, and
// what a user is told when they go wrong.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/program/instruction.h"
#include "common/simulator/texture/texture_registry.h"

namespace gridstride::sim {

/// The sectors that one instruction of a warp touches: each is moved once.
class TouchedSectors {
 public:
  void add(DeviceAddress address) {
    const std::uint64_t sector = address / 32;
    if (count_ == 0 || sectors_[count_ - 1] != sector) sectors_[count_++] = sector;
  }
  /// Counts one request to a surface and moves its sectors through the L2.
  void count_surface(Warp& warp, const Inst& inst, bool writes);
  /// Counts one fetch through a texture, which occupies the texture unit for at least `cycles`, and gets
  /// its sectors from the L1 or the L2.
  void count_fetch(Warp& warp, const Inst& inst, std::uint32_t cycles);

 private:
  /// Calls use(line, sectors of it) for each, counts them, and returns the lines.
  template <class Use>
  std::uint32_t for_each_line(Warp& warp, const Inst& inst, Use&& use);

  static constexpr std::size_t most = 8 * warp_size;  // eight texels a lane
  std::array<std::uint64_t, most> sectors_;
  std::size_t count_ = 0;
};

/// The object behind the handle of `lane`; one that is not there ends the grid with a finding.
const Texture& texture_of(Warp& warp, const Inst& inst, std::uint32_t lane, ObjectId handle);
const TexelRegion& surface_of(Warp& warp, const Inst& inst, std::uint32_t lane, ObjectId handle);

/// Calls use(object, lanes) for each handle among the active lanes.
template <class Find, class Use>
void for_each_object(Warp& warp, const Inst& inst, LaneMask mask, Find&& find, Use&& use) {
  const std::uint64_t* handles = vector_register<const std::uint64_t>(warp.registers, inst.a);
  for (LaneMask rest = mask; rest != 0;) {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(rest));
    const auto& object = find(warp, inst, first, handles[first]);
    LaneMask same = 0;
    for (LaneMask more = rest; more != 0; more &= more - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(more));
      if (handles[lane] == handles[first]) same |= 1u << lane;
    }
    rest &= ~same;
    use(object, same);
  }
}

/// `lane` reads the texel at `address`, or an element of one: of what nobody has written that is
/// uninitialised.
void check_initialised(Warp& warp, const Inst& inst, std::uint32_t lane, DeviceAddress address,
                       std::uint32_t bytes);
/// It has been written.
void mark_initialised(Warp& warp, DeviceAddress address, std::uint32_t bytes);

/// Ends the grid: a surface access with .trap outside.
[[noreturn]] void outside_surface(const Warp& warp, const Inst& inst, std::uint32_t lane,
                                  const TexelRegion& region, const std::array<std::int32_t, 3>& at,
                                  bool writes);

}  // namespace gridstride::sim
