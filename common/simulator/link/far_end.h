// The far end of a link: a process on the device's host that stands where judge and runner would stand.
#pragma once

#include <filesystem>

namespace gridstride::sim::link {

/// Starts the gridstride-device of the folder `programs` as the near end asks for it, and passes on until the near end
/// has gone; what it says and is told goes over `in` and `out`. The device process ends with it. Returns the
/// exit status.
int run_far_end(int in, int out, const std::filesystem::path& programs);

}  // namespace gridstride::sim::link
