// The page that plays recordings: one file that loads nothing.
#pragma once

#include <string>
#include <vector>

#include "common/simulator/playback/playback.h"

namespace gridstride::sim {

/// HTML. One recording, or two that are played side by side by their modelled time. A recording that would make
/// the page larger than `most_bytes` loses its last steps, and the page says how many.
std::string to_page(const std::vector<const Playback*>& all, std::size_t most_bytes = 5'000'000);

}  // namespace gridstride::sim
