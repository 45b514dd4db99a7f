// Files that a command is asked to write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gridstride::cli {

/// Minutes of work must not end in "no such folder": looks before anything is done whether `file`
/// (nothing when empty) can be written. Throws UsageError, std::runtime_error.
void check_writable(const std::string& file);
/// The same of each, and that no two are one: the later would take the earlier's place. Empty names are left out.
void check_all_writable(const std::vector<std::string>& files);

/// Writes the whole file or leaves it as it was; nothing when `file` is empty. A link is followed,
/// and what is no plain file (/dev/stdout, a pipe) is written to rather than replaced. Throws
/// std::runtime_error that names the file.
void write_output(const std::string& file, std::string_view contents);

}  // namespace gridstride::cli
