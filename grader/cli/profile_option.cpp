// Names and files of profiles are the simulator's to read; that they are wrong is the user's to hear.
#include "grader/cli/profile_option.h"

#include <string>

#include "common/simulator/model/profile.h"
#include "grader/cli/command.h"

namespace gridstride::cli {

int check_profile(const std::string& profile) {
  try {
    const sim::DeviceProfile found =
        profile.empty() ? sim::default_profile() : sim::profile_named(profile);
    return static_cast<int>(found.properties.capability);
  } catch (const sim::ProfileError& error) {
    throw UsageError("--profile: " + std::string(error.what()) + ".");
  }
}

}  // namespace gridstride::cli
