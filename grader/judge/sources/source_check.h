// What a stage's source text says, without compiling it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gridstride {

/// Whether a TODO is left, in a comment or elsewhere.
bool has_todo(const std::string& source);

/// What is wrong with the first include directive that names a header beginning with one of
/// `forbidden`, or that does not name a header at all (a macro could name any); nothing when all is
/// well.
std::optional<std::string> forbidden_include(const std::string& source,
                                             const std::vector<std::string>& forbidden);

}  // namespace gridstride
