// The texts that a platform grades with: scripts, a container's recipe, workflows. Each is made for one lab.
#pragma once

#include <string>

namespace gridstride {

/// Where the grader lies: in Gradescope's image, and in ours, so that one set of scripts does for both.
inline constexpr const char* autograder_folder = "/autograder/source";

/// setup.sh: makes of an image of Debian's or Ubuntu's one that grades. Beside it lies course.tar.zst.
std::string setup_script();
/// run_autograder: grades what Gradescope puts into /autograder/submission.
std::string gradescope_script(const std::string& lab);
/// run_on_github: grades what a job of GitHub Actions has checked out.
std::string github_script(const std::string& lab);
/// Dockerfile: an image that grades, with the toolkit's compiler and nothing more of it.
std::string grader_dockerfile(const std::string& lab, const std::string& image);
/// A workflow that makes that image and keeps it as `image`.
std::string image_workflow(const std::string& image);
/// A workflow of a student's repository: grades at each push, in `image`.
std::string grading_workflow(const std::string& lab, const std::string& image);
/// What an instructor does with all these.
std::string github_readme(const std::string& lab, const std::string& image);

}  // namespace gridstride
