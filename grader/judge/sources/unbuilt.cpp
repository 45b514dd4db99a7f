// The guard leaves a log or the reason of a failure that is not the source's.
#include "grader/judge/sources/unbuilt.h"

#include <sys/stat.h>

#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "common/files.h"
#include "common/text.h"
#include "grader/compile/stage_files.h"
#include "grader/judge/runners/installation.h"
#include "grader/judge/sources/compile_log.h"

namespace gridstride {
namespace fs = std::filesystem;

LibraryFile library_file(const fs::path& library) {
  struct stat status {};
  if (::stat(library.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino, static_cast<std::uintmax_t>(status.st_size),
          status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

Unbuilt why_unbuilt(const fs::path& source, const fs::path& library, const fs::path& tree) {
  std::error_code ignored;
  const std::string missing = library.filename().string() + " is missing";
  try {
    if (const fs::path reason = infrastructure_of(library); fs::exists(reason, ignored))
      return {Verdict::infrastructure, clean_text(read_file(reason, 64u << 10))};
    const fs::path log = log_of(library);
    if (!fs::exists(log, ignored))
      return {Verdict::infrastructure, "The stage has not been built: " + missing +
                                           ". Repair: ./lab grade without --no-build."};
    const std::string words = read_file(log, 4u << 20);
    if (words.find_first_not_of(" \t\r\n") == std::string::npos)
      return {Verdict::infrastructure, source.filename().string() + " compiles, but " + missing +
                                           ": the build was interrupted, or the file was removed. "
                                           "Repair: ./lab grade without --no-build."};
    return {Verdict::compile_error, "The compiler says:\n" + first_error(words, tree)};
  } catch (const std::exception& error) {
    return {Verdict::infrastructure, error.what()};
  }
}

std::optional<Unbuilt> why_not_this(const StageTask& task, const fs::path& tree) {
  std::error_code ignored;
  std::optional<Unbuilt> unbuilt;
  if (!fs::exists(task.library, ignored)) unbuilt = why_unbuilt(task.source, task.library, tree);
  // Only the compiler's words are about a text, and have to be about this one.
  if (unbuilt && unbuilt->verdict == Verdict::infrastructure) return unbuilt;
  std::optional<std::string> built;
  try {
    built = read_file(text_of(task.library), largest_stage_bytes);
  } catch (const std::exception&) {
    // Then it is not known, and may be any.
  }
  const std::string file = task.source.filename().string();
  if (!built)
    return Unbuilt{Verdict::infrastructure,
                   "From which text " + task.library.filename().string() +
                       " was built is not known, so it is not graded. Repair: run ./lab grade "
                       "without --no-build; if it says the same, remove build/ (of a handout: "
                       "ready/stages/)."};
  if (*built != task.source_text)
    return Unbuilt{Verdict::infrastructure,
                   file +
                       " is not what was built: it has another text now, and what was built "
                       "before is not graded in its place. Repair: run ./lab grade without "
                       "--no-build."};
  return unbuilt;
}

void need_baseline_library(const Grading& grading, const StageTask& task) {
  std::error_code ignored;
  if (fs::exists(task.baseline, ignored)) return;
  fs::path source = task.baseline.filename();
  source.replace_extension(".cu");
  const Unbuilt why = why_unbuilt(source, task.baseline, grading.installation.tree);
  std::string message = "The baseline, which speedups are measured against, is not there. ";
  if (why.verdict == Verdict::compile_error)
    message += source.string() + " does not compile. Repair: put back the file that the course " +
               "was handed out with. ";
  throw CannotGrade(message + why.message);
}

}  // namespace gridstride
