// Whether a disk still takes what a compiler writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace gridstride {

/// Empty when a file of `bytes` can be made in `folder`, which is made when it is not there. Else
/// why not, and the repair. The file is allocated in full, so quotas count, and is gone afterwards.
std::string lack_of_room(const std::filesystem::path& folder, std::uint64_t bytes);

}  // namespace gridstride
