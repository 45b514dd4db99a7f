// The commands of the gridstride program: what each is told and what it does. Parsing is command_line.cpp's,
// errors are main's.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace gridstride::cli {

/// Something was asked for that makes no sense here: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What was asked for was done, and what it was done to is at fault: exit code 1.
class FallsShort : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where the program finds itself. Paths are looked up when asked for, so that `--help` works
/// anywhere.
struct Places {
  std::filesystem::path tree() const;   ///< the course
  std::filesystem::path build() const;  ///< the build folder that holds this program
  /// bin/`name` of the build folder. Throws std::runtime_error with the repair when it is missing.
  std::filesystem::path program(const std::string& name) const;
};

struct GradeOptions {
  std::vector<std::string> names;  ///< LAB or LAB/STAGE; none: the whole course
  std::string device = "auto";     ///< or "gpu", "sim", "ssh:HOST"
  std::string profile;             ///< of the simulated GPU, by name or file; empty: the default
  std::optional<int> jobs;         ///< at once on the simulated device; none: one for each core
  std::string json, junit;         ///< files to write; empty: none
  std::string gradescope;          ///< the same, as Gradescope reads results
  std::string classroom;           ///< the same, as GitHub Classroom's graders write them
  std::string format;              ///< "table", "gcc", "github"; empty: as the place asks for
  std::string one_case;            ///< only look at this case of one stage; empty: grade
  std::string from;                ///< folder of what a student handed in; empty: labs/
  bool solutions = false;          ///< in place of the student's stages
  bool measure_only = false;       ///< require no speedup
  bool no_build = false;
  int verbose = 0;  ///< 1: what limits and handout speak of; 2: everything
};
struct StageOptions {
  std::vector<std::string> names;  ///< LAB/STAGE, or LAB and STAGE
  bool yes = false;                ///< reset: without asking
};
struct WatchOptions {
  bool no_build = false;
};

// Each returns the exit code (grader/report/results.h) and throws what main() turns into a message.
int grade(const Places& places, const GradeOptions& options);
int list(const Places& places);
int hint(const Places& places, const StageOptions& options);
int reset(const Places& places, const StageOptions& options);
int solution(const Places& places, const StageOptions& options);
int doctor(const Places& places);
int watch(const Places& places, const WatchOptions& options);

}  // namespace gridstride::cli
