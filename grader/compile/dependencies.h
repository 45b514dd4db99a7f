// Which files a compilation has opened, by the compilers' own lists for make.
//
// Text decides nothing here: how an include directive is spelt, the preprocessor knows and nobody
// else. gcc writes such a list for each of its runs (SUNPRO_DEPENDENCIES). nvcc's own (-MD) only
// says what `#line` says, and is read where there is no other.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gridstride {

/// What the rules of `list` ("target: a.h b.h \", …) have behind their colons, as it stands there
/// without the escapes; what several have comes several times.
std::vector<std::string> dependencies_in(std::string_view list);

/// `names` as whole paths, those that are not from `folder` on, each once, sorted. Where a file of
/// that name is here and links lead to it, its other path stands there too. A path need not lead to
/// a file here: /proc/self/cwd is another folder for each process.
std::vector<std::filesystem::path> paths_of(const std::vector<std::string>& names,
                                            const std::filesystem::path& folder);

/// Those of `paths` that are plain files.
std::vector<std::filesystem::path> files_among(std::vector<std::filesystem::path> paths);

/// The rule that says so to make and ninja. `target` stands in it as it is.
std::string dependency_rule(std::string_view target,
                            const std::vector<std::filesystem::path>& files);

/// The target of the first rule of `list`, as it stands there.
std::string_view target_of(std::string_view list);

}  // namespace gridstride
