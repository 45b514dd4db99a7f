// What a figure of a trace shows, as its TOML file says.
#pragma once

#include <filesystem>

#include "common/simulator/playback/figure.h"

namespace gridstride::cli {

struct FigureSpec {
  sim::Figure figure;
  std::filesystem::path file;  ///< to be written
};

/// Throws ConfigError with the place in the file.
FigureSpec read_figure_spec(const std::filesystem::path& file);

}  // namespace gridstride::cli
