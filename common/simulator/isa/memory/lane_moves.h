// Moves elements between memory and vector registers: loops that the compiler vectorises.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/arithmetic/lanes.h"
#include "common/simulator/isa/memory/memory_access.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {

template <unsigned width>
using Element = std::conditional_t<
    width == 8, std::uint64_t,
    std::conditional_t<width == 4, std::uint32_t,
                       std::conditional_t<width == 2, std::uint16_t, std::uint8_t>>>;
/// What a register holds of it.
template <unsigned width>
using Stored = std::conditional_t<width == 8, std::uint64_t, std::uint32_t>;

/// Lanes 0 to `lanes` - 1 from memory that holds them one after the other.
template <unsigned width, unsigned count>
inline void load_run(Warp& warp, const MemoryUse& use, const std::byte* from, unsigned lanes) {
  for (unsigned k = 0; k < count; ++k) {
    Stored<width>* to = vector_register<Stored<width>>(warp.registers, use.registers[k]);
    GRIDSTRIDE_LANES_ARE_APART
    for (unsigned lane = 0; lane < lanes; ++lane) {
      Element<width> value;
      std::memcpy(&value, from + (lane * count + k) * width, width);
      to[lane] = value;
    }
  }
}

template <unsigned width, unsigned count>
inline void store_run(const Warp& warp, const MemoryUse& use, std::byte* to, unsigned lanes) {
  for (unsigned k = 0; k < count; ++k) {
    const Stored<width>* from =
        vector_register<const Stored<width>>(warp.registers, use.registers[k]);
    GRIDSTRIDE_LANES_ARE_APART
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const auto value = static_cast<Element<width>>(from[lane]);
      std::memcpy(to + (lane * count + k) * width, &value, width);
    }
  }
}

/// `one(lane)` for the lanes of `mask`, or for all 32 of them, lowest first.
template <bool full, class One>
[[gnu::always_inline]] inline void for_lanes(LaneMask mask, One one) {
  if constexpr (full) {
#pragma GCC unroll 8
    for (unsigned lane = 0; lane < warp_size; ++lane) one(lane);
  } else {
    for (LaneMask rest = mask; rest != 0; rest &= rest - 1)
      one(static_cast<unsigned>(std::countr_zero(rest)));
  }
}

template <unsigned width, unsigned count>
inline void load_lane(Warp& warp, const MemoryUse& use, const std::byte* from, unsigned lane) {
  for (unsigned k = 0; k < count; ++k) {
    Element<width> value;
    std::memcpy(&value, from + k * width, width);
    vector_register<Stored<width>>(warp.registers, use.registers[k])[lane] = value;
  }
}

template <unsigned width, unsigned count>
inline void store_lane(const Warp& warp, const MemoryUse& use, std::byte* to, unsigned lane) {
  for (unsigned k = 0; k < count; ++k) {
    const auto value = static_cast<Element<width>>(
        vector_register<const Stored<width>>(warp.registers, use.registers[k])[lane]);
    std::memcpy(to + k * width, &value, width);
  }
}

/// All lanes of `mask` from one place.
template <unsigned width, unsigned count>
inline void load_broadcast(Warp& warp, const MemoryUse& use, const std::byte* from, LaneMask mask) {
  for (unsigned k = 0; k < count; ++k) {
    Element<width> value;
    std::memcpy(&value, from + k * width, width);
    Stored<width>* to = vector_register<Stored<width>>(warp.registers, use.registers[k]);
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      to[lane] = (mask >> lane & 1) != 0 ? Stored<width>{value} : to[lane];
    }
  }
}

/// What `make`, a template of a width and a count, gives for `width` and `count`: the handlers of a
/// load or a store; empty for 32-byte accesses.
template <class Make>
Handlers choose(unsigned width, unsigned count, Make make) {
  switch (width * 8 + count) {
    case 1 * 8 + 1:
      return make.template operator()<1, 1>();
    case 1 * 8 + 2:
      return make.template operator()<1, 2>();
    case 1 * 8 + 4:
      return make.template operator()<1, 4>();
    case 2 * 8 + 1:
      return make.template operator()<2, 1>();
    case 2 * 8 + 2:
      return make.template operator()<2, 2>();
    case 2 * 8 + 4:
      return make.template operator()<2, 4>();
    case 4 * 8 + 1:
      return make.template operator()<4, 1>();
    case 4 * 8 + 2:
      return make.template operator()<4, 2>();
    case 4 * 8 + 4:
      return make.template operator()<4, 4>();
    case 8 * 8 + 1:
      return make.template operator()<8, 1>();
    case 8 * 8 + 2:
      return make.template operator()<8, 2>();
    default:
      return {};
  }
}

}  // namespace gridstride::sim
