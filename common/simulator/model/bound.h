// One line of a modelled time.
#pragma once

#include <string>

namespace gridstride::sim {

/// What one part of the GPU alone would have taken for a launch.
struct Bound {
  std::string part;  ///< "dram", "l2", "issue", …
  double seconds = 0;
};

}  // namespace gridstride::sim
