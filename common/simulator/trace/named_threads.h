// The threads that the message of a finding names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/simulator/base/dim3.h"

namespace gridstride::sim {

struct NamedThread {
  Dim3 thread, block;
};

/// In the order of the message: "thread (1, 0, 0) of block (2, 0, 0)", as PlaceNames words it.
std::vector<NamedThread> named_threads(const std::string& message);

/// The block that a user names "X", "X,Y" or "X,Y,Z"; nothing where it is none.
std::optional<Dim3> parse_block(const std::string& text);

}  // namespace gridstride::sim
