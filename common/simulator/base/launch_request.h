// A kernel launch, as the host asks for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/base/dim3.h"
#include "common/simulator/base/handles.h"

namespace gridstride::sim {

struct LaunchRequest {
  KernelId kernel = 0;
  Dim3 grid, block;
  std::uint64_t dynamic_shared = 0;  ///< bytes
  StreamId stream = 0;
  bool cooperative = false;
  std::vector<std::byte> arguments;  ///< KernelInfo::argument_bytes, laid out as its parameters say
};

}  // namespace gridstride::sim
