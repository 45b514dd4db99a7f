// Builds stages where there is no build folder of CMake's: in what students are handed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gridstride::cli {

/// Whether `build` came ready, with no build system: then it holds contracts/<lab>.o.
bool is_handed_out(const std::filesystem::path& build);

/// What build() promises of stages (build.h), for the folder `build` of the course in `tree`: as many at
/// once as there are cores. A stage whose library is of its text is left alone.
void build_stages(const std::filesystem::path& tree, const std::filesystem::path& build,
                  const std::string& what, const std::vector<std::string>& stages,
                  const std::filesystem::path& handed_in);

}  // namespace gridstride::cli
