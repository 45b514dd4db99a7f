// What kernels ask the device to do once they have run: dynamic parallelism.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/base/dim3.h"
#include "common/simulator/base/handles.h"
#include "common/simulator/check/clocks.h"

namespace gridstride::sim {

/// Streams that every thread has.
constexpr std::uint64_t device_null_stream = 0;    ///< of its block
constexpr std::uint64_t device_legacy_stream = 1;  ///< the same, by name
constexpr std::uint64_t device_thread_stream = 2;  ///< the same
constexpr std::uint64_t tail_stream = 3;           ///< once the grid and its children are done
constexpr std::uint64_t fire_and_forget_stream = 4;

/// What a kernel launches, or has the device do for it.
struct DeviceWork {
  enum class Kind : std::uint8_t { launch, copy, fill, record, wait } kind = Kind::launch;
  std::uint64_t stream = device_null_stream;
  std::uint64_t block = 0;  ///< of the grid that asks, linear: each has a null stream of its own
  std::uint32_t turn = 0;   ///< the how-manieth call of its thread, from 1
  /// By the scoreboard: cycles from the block's start until the call is over. Negative for blocks
  /// that run without it.
  double cycle = -1;
  std::size_t kernel = 0;  ///< index into the program's kernels
  Dim3 grid, shape;        ///< blocks, threads of a block
  std::uint64_t dynamic_shared = 0;
  std::vector<std::byte> arguments;
  // Copy and fill: `height` rows of `width` bytes in `depth` slices.
  DeviceAddress to = 0, from = 0;
  std::uint64_t width = 0, height = 1, depth = 1;
  std::uint64_t to_pitch = 0, from_pitch = 0, to_slice = 0, from_slice = 0;
  std::uint8_t value = 0;
  std::uint64_t event = 0;        ///< record and wait
  Dim3 by_thread, by_block;       ///< indices of who asks
  std::uint32_t line = 0;         ///< of the call; 0 when unknown
  std::uint32_t instruction = 0;  ///< the call, in the kernel of who asks
  Knowledge known;  ///< what lies before the call; nothing where races are not looked for
};

}  // namespace gridstride::sim
