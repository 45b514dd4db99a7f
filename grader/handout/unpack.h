// Unpacks a handout that may be anybody's.
#pragma once

#include <filesystem>

namespace gridstride {

/// Unpacks `archive` into `folder`, which is there and empty, and returns the handout's top in it.
/// Throws std::runtime_error for what is no handout: links, devices, absolute names, "..", files
/// outside the one folder that a handout has, more than 1 GiB, a damaged archive.
std::filesystem::path unpack(const std::filesystem::path& archive,
                             const std::filesystem::path& folder);

}  // namespace gridstride
