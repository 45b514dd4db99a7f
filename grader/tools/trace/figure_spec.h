// What a figure of a trace shows, as its TOML file says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "common/simulator/playback/figure.h"
#include "grader/tools/commands.h"

namespace gridstride::cli {

struct FigureSpec {
  sim::Figure figure;
  std::filesystem::path file;  ///< to be written
  /// "LAB/STAGE", a solution, or a program's .cu file in the tree; empty: the command line says it.
  std::string of;
  std::string one_case, kernel, block;
  std::optional<std::int64_t> size, launch;
  std::map<std::pair<int, std::string>, std::string>
      places;  ///< of texts: number of the step or -1, key
};

/// Throws ConfigError with the place in the file.
FigureSpec read_figure_spec(const std::filesystem::path& file);

/// What is to be recorded for it: `options`, and what the file says where those say nothing.
TraceOptions recorded_for(const FigureSpec& spec, TraceOptions options,
                          const std::filesystem::path& tree);

/// Drawn; what does not fit the recording is a ConfigError with its place in the file.
sim::DrawnFigure drawn(const FigureSpec& spec, const sim::Playback& playback);

}  // namespace gridstride::cli
