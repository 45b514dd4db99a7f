// What `lab class` can be asked for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gridstride {

struct ClassGradeOptions {
  std::filesystem::path submissions, results;
  std::vector<std::string> labs;    ///< none: those that anybody has handed in something for
  std::string device = "auto";      ///< "auto", "gpu", "sim" or "ssh:HOST" (link/host.h)
  std::string executor = "local";   ///< or "slurm"
  std::vector<std::string> sbatch;  ///< options for sbatch
  std::optional<int> workers;       ///< none: a core each, or a GPU each
  std::string due;                  ///< a time; what comes later is late
  std::vector<std::string> again;   ///< STUDENT or STUDENT/LAB
  bool outdated = false;            ///< also what another version of the course has graded
  bool no_build = false;
};

struct ClassExportOptions {
  std::filesystem::path results;
  std::vector<std::string> labs;  ///< none: all
  std::string csv, json, junit, moodle, canvas, html, feedback;
};

struct ClassSimilarOptions {
  std::filesystem::path results;
  std::vector<std::string> labs;  ///< LAB or LAB/STAGE; none: all labs in whole
  int pairs = 20;                 ///< of each lab, that are told of
  std::string html, json;         ///< files to write; empty: none
};

// Each returns the exit code, and throws what main() turns into a message.
int class_grade(const ClassGradeOptions& options);
int class_status(const std::filesystem::path& results, bool verbose);
int class_export(const ClassExportOptions& options);
int class_similar(const ClassSimilarOptions& options);

}  // namespace gridstride
