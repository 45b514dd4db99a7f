#include "common/simulator/findings/unwritten_registers.h"

#include <array>
#include <cstdint>
#include <iterator>

namespace gridstride::sim {

const UnwrittenRegisters::Register* UnwrittenRegisters::find(Activation activation,
                                                             Place place) const {
  const auto it = registers_.find({activation, place});
  return it == registers_.end() ? nullptr : &it->second;
}

std::array<UnwrittenRegisters::Held, warp_size>& UnwrittenRegisters::hold(Activation activation,
                                                                          Place place,
                                                                          LaneMask lanes) {
  const auto [it, is_new] = registers_.try_emplace({activation, place});
  if (is_new && (place & param_bit) != 0) ++params_;
  it->second.lanes |= lanes;
  return it->second.of;
}

void UnwrittenRegisters::forget(Activation activation, Place place, LaneMask lanes) {
  const auto it = registers_.find({activation, place});
  if (it == registers_.end()) return;
  it->second.lanes &= ~lanes;
  if (it->second.lanes == 0) erase(it);
}

void UnwrittenRegisters::forget(Activation activation, LaneMask lanes) {
  for (auto it = registers_.begin(); it != registers_.end();) {
    if (it->first.activation == activation) it->second.lanes &= ~lanes;
    it = it->second.lanes == 0 ? erase(it) : std::next(it);
  }
}

UnwrittenRegisters::Registers::iterator UnwrittenRegisters::erase(Registers::iterator at) {
  if ((at->first.place & param_bit) != 0) --params_;
  return registers_.erase(at);
}

const UnwrittenRegisters::Held* UnwrittenRegisters::find_local(std::uint32_t lane,
                                                               std::uint64_t offset) const {
  if (local_.empty()) return nullptr;
  const auto it = local_.find({lane, offset});
  return it == local_.end() ? nullptr : &it->second;
}

void UnwrittenRegisters::forget_local(std::uint32_t lane, std::uint64_t offset,
                                      std::uint64_t bytes) {
  if (local_.empty()) return;
  local_.erase(local_.lower_bound({lane, offset}), local_.lower_bound({lane, offset + bytes}));
}

}  // namespace gridstride::sim
