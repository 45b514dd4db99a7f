#include "common/simulator/findings/unwritten_registers.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gridstride::sim {

LaneMask UnwrittenRegisters::lanes(Activation activation, Place place) const {
  for (const Register& one : registers_) {
    if (one.place == place && one.activation == activation) return one.lanes;
  }
  return 0;
}

const UnwrittenRegisters::Held* UnwrittenRegisters::find(Activation activation, Place place,
                                                         std::uint32_t lane) const {
  for (const Register& one : registers_) {
    if (one.place == place && one.activation == activation)
      return (one.lanes >> lane & 1) != 0 ? &one.of[lane] : nullptr;
  }
  return nullptr;
}

void UnwrittenRegisters::hold(Activation activation, Place place, std::uint32_t lane,
                              const Held& what) {
  auto it = std::ranges::find_if(registers_, [&](const Register& one) {
    return one.place == place && one.activation == activation;
  });
  if (it == registers_.end()) {
    it = registers_.insert(it, Register{activation, place, 0, std::vector<Held>(warp_size)});
    if ((place & param_bit) != 0) ++params_;
  }
  it->lanes |= 1u << lane;
  it->of[lane] = what;
}

void UnwrittenRegisters::forget(Activation activation, Place place, LaneMask lanes) {
  for (Register& one : registers_) {
    if (one.place != place || one.activation != activation) continue;
    one.lanes &= ~lanes;
    if (one.lanes == 0) erase_empty();
    return;
  }
}

void UnwrittenRegisters::forget(Activation activation, LaneMask lanes) {
  for (Register& one : registers_) {
    if (one.activation == activation) one.lanes &= ~lanes;
  }
  erase_empty();
}

void UnwrittenRegisters::erase_empty() {
  std::erase_if(registers_, [](const Register& one) { return one.lanes == 0; });
  params_ = static_cast<std::size_t>(std::ranges::count_if(
      registers_, [](const Register& one) { return (one.place & param_bit) != 0; }));
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
