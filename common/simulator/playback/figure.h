// A still picture of an array at chosen steps, as SVG: for handouts and slides.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/playback/figure_words.h"
#include "common/simulator/playback/playback.h"

namespace gridstride::sim {

/// Which step: the `time`-th, from 1, in which `warp` of the first recorded block touches the array in the one line of
/// the source that holds `text`, or in `line`. So a picture stays right when other steps come and go before it.
struct FigureStep {
  std::uint32_t line = 0;
  std::string text{};
  std::uint32_t warp = 0;
  std::uint32_t time = 1;
  std::uint32_t first = 0;  ///< element that is drawn first
  std::string access{};     ///< "read", "write" or "atomic"; empty: any
  std::string says{};       ///< above it; empty: what the step does
};

/// In `title`, `alt`, `caption` and `says` a name in braces stands for a value of the recording. Of a step: {passes},
/// {sectors}, {bytes}, {lanes}, {elements}, {crowd} (most lanes at one element), {banks}, {line}, {source}, {warp},
/// {cycle};
/// {passes|pass|passes} is "1 pass" or "8 passes"; outside of `says` with its number before it, {2.passes}, where there are several. Of the launch: {stage},
/// {array}, {grid}, {block}.
struct Figure {
  std::string array;           ///< by its name in the source
  std::string title;           ///< above all; may be empty
  std::string alt;             ///< for who cannot see it; empty: the title
  std::string caption;         ///< for the page that shows it, not drawn
  std::uint32_t columns = 0;   ///< elements of a row; 0: its own shape, else 32
  std::uint32_t stride = 0;    ///< elements from one row to the next; 0: columns
  std::uint32_t elements = 0;  ///< how many; 0: all, up to 256
  bool values = true;          ///< false: small cells, with lanes alone
  bool source = true;          ///< false: nothing tells lines of the source
  std::vector<FigureStep> steps;
};

struct DrawnFigure {
  std::string svg, alt, caption;  ///< alt and caption with their values
};

/// One part for each step: cells with the values after it, those that it touches coloured and with the lane; of a
/// shared array the banks, where a row has 32 words; of a global one the sectors that come along. Light or dark as the
/// reader's system is. Throws FigureError where the recording has no such array, step or value, with what it has.
DrawnFigure to_figure(const Playback& playback, const Figure& figure);

}  // namespace gridstride::sim
