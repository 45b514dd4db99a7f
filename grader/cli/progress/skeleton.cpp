// Asks git for the history of one file.
#include "grader/cli/progress/skeleton.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "grader/cli/progress/state.h"
#include "grader/handout/places.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

class History {
 public:
  explicit History(const fs::path& tree) : tree_(tree.string()) {}

  std::string git(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"git", "-C", tree_});
    return output_of(arguments);
  }

  struct Version {
    std::string commit, date, author;
  };
  /// Newest first.
  std::vector<Version> versions(const std::string& file) const {
    std::istringstream lines(git({"log", "--format=%h %cs %ae", "--", file}));
    std::vector<Version> all;
    for (Version one; lines >> one.commit >> one.date && std::getline(lines, one.author);)
      all.push_back(one);
    return all;
  }
  std::string text(const Version& version, const std::string& file) const {
    return git({"show", version.commit + ":./" + file});
  }
  std::string user() const {
    std::string email = git({"config", "user.email"});
    return " " + email.substr(0, email.find('\n'));  // as versions() reads authors
  }

 private:
  std::string tree_;
};

std::size_t count_todos(const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find("TODO"); at != std::string::npos; at = text.find("TODO", at + 1))
    ++count;
  return count;
}

Skeleton skeleton_from_git(const fs::path& tree, const std::string& file) {
  const History history(tree);
  std::set<std::string> course;
  const std::string configuration = (fs::path(file).parent_path() / "lab.toml").string();
  for (const auto& version : history.versions(configuration)) course.insert(version.author);
  course.erase(history.user());

  Skeleton best;
  std::size_t most_todos = 0;
  for (const auto& version : history.versions(file)) {
    const std::string text = history.text(version, file);
    const std::size_t todos = count_todos(text);  // none where the commit removed the file
    const bool by_course = course.count(version.author) != 0 && todos > 0;
    if (by_course || todos > most_todos)
      best = {text, "commit " + version.commit + " of " + version.date};
    if (by_course) break;
    most_todos = std::max(most_todos, todos);
  }
  return best;
}

}  // namespace

Skeleton find_skeleton(const fs::path& tree, const fs::path& state, const std::string& file) {
  if (const fs::path given = tree / handed_out_texts / file; fs::exists(given))
    return {read_file(given), "the handout"};
  if (fs::exists(tree / ".git")) {
    Skeleton skeleton = skeleton_from_git(tree, file);
    if (!skeleton.text.empty()) return skeleton;
  }
  const fs::path kept = state / "skeletons" / fs::path(file).lexically_relative("labs");
  if (fs::exists(kept))
    return {read_file(kept), "the copy that was kept when ./lab first ran here"};
  throw std::runtime_error(
      "No untouched version of " + file + " was found, neither in the git history nor in " +
      (state / "skeletons").string() + ". Take the file from the course as you got it.");
}

void keep_skeletons(const fs::path& tree, const std::string& lab) {
  std::error_code error;
  if (fs::exists(tree / ".git", error) || fs::exists(tree / handed_out_texts, error)) return;
  try {
    const fs::path kept = state_folder(tree) / "skeletons" / lab;
    if (fs::exists(kept)) return;
    const fs::path draft = kept.string() + ".part";
    fs::remove_all(draft);
    fs::create_directories(draft);
    for (const auto& entry : fs::directory_iterator(tree / "labs" / lab)) {
      // No link: it could lead to any file of whoever runs this.
      if (entry.path().extension() == ".cu" && fs::is_regular_file(entry.symlink_status()))
        fs::copy_file(entry.path(), draft / entry.path().filename());
    }
    fs::rename(draft, kept);
  } catch (const std::exception&) {
    return;  // as promised
  }
}

}  // namespace gridstride::cli
