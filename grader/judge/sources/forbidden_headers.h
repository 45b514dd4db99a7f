// Which forbidden headers a stage includes, by the files that the compiler opened for it.
//
// Text cannot say: a byte order mark, a NUL, a macro, a digit separator make an include directive
// that a scanner does not see. The compiler's list has what was opened, however it was spelt. Some
// headers that a stage may use include forbidden ones themselves (cooperative_groups.h takes from
// libcu++): what those bring along is not held against the stage.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gridstride {

/// What of a system header's path a stage would write, "cub/cub.cuh", when it begins with one of
/// `forbidden`; empty when it is not forbidden.
std::string forbidden_name(const std::filesystem::path& header,
                           const std::vector<std::string>& forbidden);

/// The first forbidden one among `opened` that no header which a stage may use brings along; empty
/// when there is none. Reads the headers where it must; paths that are not whole are the course's
/// own, in `tree`.
std::string forbidden_header(const std::vector<std::filesystem::path>& opened,
                             const std::filesystem::path& tree,
                             const std::vector<std::string>& forbidden);

/// The list that compile-guard has left beside `library`; nothing when there is none.
std::optional<std::vector<std::filesystem::path>> opened_for(const std::filesystem::path& library);

}  // namespace gridstride
