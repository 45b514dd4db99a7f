// What learning platforms run by themselves at each submission.
#pragma once

#include <filesystem>
#include <string>

namespace gridstride {

struct GradescopeOptions {
  std::string lab;
  std::filesystem::path archive;  ///< to write, NAME.zip
  bool no_build = false;
};

struct GithubOptions {
  std::string lab;
  std::filesystem::path folder;  ///< to make, or empty
  std::string image;             ///< "ghcr.io/owner/name", what the grader is kept as
  bool no_build = false;
};

/// Writes what grades a lab on GitHub: a repository that makes an image, and a template whose workflow grades
/// in it at each push. Returns and throws like export_gradescope().
int export_github(const GithubOptions& options);

/// Writes an autograder for Gradescope: a handout of the lab, setup.sh, which makes the image, and
/// run_autograder, which is called for each submission. Returns the exit code. Throws std::runtime_error,
/// UsageError, UnknownName.
int export_gradescope(const GradescopeOptions& options);

}  // namespace gridstride
