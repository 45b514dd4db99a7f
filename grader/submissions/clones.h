// Repositories of students. git runs what a repository's own configuration names, so where that is the
// student's it runs in a sandbox.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "grader/submissions/entries.h"

namespace gridstride {

/// When the last commit of the clone in `folder` was made, as git says it; empty when it does not. The
/// student could have written another time.
std::string last_commit_of(const std::filesystem::path& folder);

/// Whether a line of a list names something to be cloned rather than a folder.
bool is_repository_url(const std::string& text);

struct Cloned {
  Entries entries;  ///< of the last commit of the default branch; the problem, where there is none
  std::string commit;  ///< its time
};
Cloned clone(const std::string& url, const Wanted& wanted);

}  // namespace gridstride
