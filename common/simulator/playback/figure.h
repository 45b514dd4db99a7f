// A still picture of an array at chosen steps, as SVG: for handouts and slides.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/playback/playback.h"

namespace gridstride::sim {

/// Which step: the `time`-th, from 1, in which `warp` of the first recorded block touches the array in `line` of
/// the source. So a picture stays right when other steps come and go before it.
struct FigureStep {
  std::uint32_t line = 0;
  std::uint32_t warp = 0;
  std::uint32_t time = 1;
  std::string access{};  ///< "read", "write" or "atomic"; empty: any
  std::string says{};    ///< above it; empty: what the step does
};

struct Figure {
  std::string array;           ///< by its name in the source
  std::string title;           ///< may be empty
  std::uint32_t columns = 0;   ///< elements of a row; 0: its own shape, else 32
  std::uint32_t elements = 0;  ///< from the first on; 0: all, up to 256
  std::vector<FigureStep> steps;
};

/// One part for each step: cells with the values after it, those that it touches coloured and with the lane above
/// the value; of a shared array the banks, where a row has 32 words. Light or dark as the reader's system is. Throws
/// TraceError where the recording has no such array or step, with what it has.
std::string to_figure(const Playback& playback, const Figure& figure);

}  // namespace gridstride::sim
