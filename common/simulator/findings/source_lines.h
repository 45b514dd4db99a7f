// The lines of source that a kernel's instructions are charged to.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/findings/place_names.h"
#include "common/simulator/program/program.h"

namespace gridstride::sim {

struct SourceLines {
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::pair<std::string, std::uint32_t>> lines;  ///< file and line, sorted
  std::vector<std::uint32_t> of;  ///< of each instruction, its index in `lines`, or none

  SourceLines(const KernelCode& kernel, const PlaceNames& names);
};

}  // namespace gridstride::sim
