// Extents of grids and blocks as reports have them.
#pragma once

#include <nlohmann/json.hpp>

#include "common/simulator/base/dim3.h"

namespace gridstride::sim {

inline nlohmann::json json_of(const Dim3& dim) { return {dim.x, dim.y, dim.z}; }

}  // namespace gridstride::sim
