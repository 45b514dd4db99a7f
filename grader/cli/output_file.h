// Files that a command is asked to write.
#pragma once

#include <string>

namespace gridstride::cli {

/// Minutes of work must not end in "no such folder": looks before anything is done whether `file`
/// (nothing when empty) can be written. Throws UsageError, std::runtime_error.
void check_writable(const std::string& file);

}  // namespace gridstride::cli
