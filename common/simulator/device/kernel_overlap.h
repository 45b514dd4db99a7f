// Which kernels of different streams run side by side in modelled time: those whose shares of the
// device add up to no more than all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gridstride::sim {

class KernelOverlap {
 public:
  using Ticks = std::int64_t;
  /// Grids that a device runs at once from compute capability 7.0 on, by the CUDA C++ Programming
  /// Guide.
  static constexpr std::size_t most_at_once = 128;

  /// Finds room for a kernel that uses `share` (0 … 1) of the device for `length`: the first moment
  /// from `earliest` on. Kernels keep the places that they were given.
  Ticks place(Ticks earliest, Ticks length, double share);

 private:
  struct Kernel {
    Ticks begin = 0, end = 0;
    std::uint32_t parts = 0;
  };
  bool fits(Ticks begin, Ticks end, std::uint32_t parts) const;

  std::vector<Kernel> kernels_;  ///< those that end last, at most `most_at_once`
  Ticks closed_ = 0;             ///< before this nothing more can start
};

}  // namespace gridstride::sim
