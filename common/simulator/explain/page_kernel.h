// One kernel on a page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "common/simulator/explain/explained.h"

namespace gridstride::sim {

/// A section: what limits it, what to mend, where the time goes, its source.
std::string section_of(const nlohmann::json& kernel, const Explained& explained);

}  // namespace gridstride::sim
