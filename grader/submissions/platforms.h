// The names that platforms give to what students hand in, and who is meant by them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grader/submissions/submission.h"

namespace gridstride {

/// A name in an export, taken apart.
struct ExportedName {
  Student student;
  bool late = false;
  std::int64_t order =
      0;             ///< the greater, the later it was handed in; 0 when the name does not say
  std::string rest;  ///< the name that the student gave the file; empty for a folder
};

/// Moodle, "download all submissions": "Ada Lovelace_1234567_assignsubmission_file_", as a folder or
/// before a file's own name.
std::optional<ExportedName> moodle_name(std::string_view name);

/// Canvas, "download submissions": "lovelaceada_LATE_1234_56789_hw.zip": user and attachment.
std::optional<ExportedName> canvas_name(std::string_view name);

/// What Gradescope's export says of each of its folders, in submission_metadata.yml.
struct GradescopeSubmission {
  std::vector<Student> submitters;  ///< several hand in together
  std::string handed_in;
};
inline constexpr const char* gradescope_metadata = "submission_metadata.yml";

/// By folder. Only the few keys that are needed are read; other text is passed over.
std::map<std::string, GradescopeSubmission> read_gradescope_metadata(std::string_view text);

/// The platform of an export that holds these names.
Platform platform_of(const std::vector<std::string>& names);

/// What folders of clones have before the account's name, "reduction-" of reduction-ada, reduction-bob.
std::string common_prefix(const std::vector<std::string>& names);

/// Seconds of the epoch of "2026-11-25 06:30 +01:00", "2026-11-25T06:30:00Z" and the like; without a
/// zone the machine's own. Nothing when it is no time.
std::optional<std::int64_t> time_in(std::string_view text);

}  // namespace gridstride
