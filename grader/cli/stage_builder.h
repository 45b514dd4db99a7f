// Builds stages where there is no build folder of CMake's: in what students are handed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/unique_fd.h"

namespace gridstride::cli {

/// Whether `build` came ready, with no build system: then it holds contracts/<lab>.o.
bool is_handed_out(const std::filesystem::path& build);

/// What build() promises of stages (build.h), for the folder `build` of the course in `tree`: as many at
/// once as there are cores. A stage whose library is of its text is left alone.
void build_stages(const std::filesystem::path& tree, const std::filesystem::path& build,
                  const std::string& what, const std::vector<std::string>& stages,
                  const std::filesystem::path& handed_in, int gpu);

/// The adapter through which the runner calls stages of `lab`, compiled: the build system's, or, in a handout, the
/// one that came along.
std::filesystem::path contract_of(const std::string& lab, const std::filesystem::path& build);

struct DebugBuild {
  std::filesystem::path folder;  ///< of the library, which is none that is graded from
  UniqueFd held;                 ///< while it is open nobody else builds that stage for a debugger
};

/// Builds one stage for a debugger, from its file in `handed_in`, into `build`/debug/`kind`/`lab`, where `kind` is
/// "labs", "solutions" or "handed-in". Waits, and says so, while somebody else holds that stage. Of a stage that does not
/// compile the same is left there as build_stages() leaves.
DebugBuild build_to_debug(const std::filesystem::path& tree, const std::filesystem::path& build,
                          const std::string& kind, const std::string& lab, const std::string& stage,
                          const std::filesystem::path& handed_in);

}  // namespace gridstride::cli
