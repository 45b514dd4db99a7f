// Which of a student's files are stages, wherever in the folder or archive they lie.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "grader/course/lab_config.h"
#include "grader/submissions/entries.h"
#include "grader/submissions/submission.h"

namespace gridstride {

/// One thing of a student's: an archive, a folder, a single file. A student may have several.
struct Item {
  std::string name;  ///< as it was found
  Entries entries;
  std::int64_t time = 0;  ///< the newest first
  bool is_file = false;  ///< one file alone: of these all count, of archives and folders the newest
};

/// The names that stages' files have in these labs: "1_interleaved.cu".
std::set<std::string> stage_file_names(const std::vector<LabConfig>& labs);

/// Fills in files, ignored names and remarks of `submission` from `items`.
///
/// A file belongs to the lab that a folder on the way to it is named after, the nearest. Where there is
/// none, to the lab of `asked` that has such a stage; of several, to the one that has most of the stages
/// that lie beside it. Of several files for one stage the one with
/// fewest folders before it counts, then the first by name. What lies in solutions/, in hidden folders and
/// in __MACOSX does not.
void find_stages(Submission& submission, std::vector<Item> items,
                 const std::vector<LabConfig>& labs, const std::vector<std::string>& asked);

}  // namespace gridstride
