// One at a time: a file that is locked while something that only one process may do is done.
#pragma once

#include <filesystem>
#include <functional>

#include "common/unique_fd.h"

namespace gridstride {

/// Makes the file where it is missing and waits until nobody else holds it; before it waits it calls `on_wait`, where
/// that is not empty. Held until the result is closed, at the latest when the process ends. A symbolic link is not followed. Throws
/// std::system_error with the reason when the file cannot be opened or locked.
UniqueFd lock_file(const std::filesystem::path& file, const std::function<void()>& on_wait = {});

}  // namespace gridstride
