// Paths are compared without links in their folders: a course may be reached by several ways. The file itself is taken
// by its name, whatever it links to.
#include "grader/course/lab_path.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "common/files.h"
#include "grader/course/course.h"
#include "grader/course/lab_config.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

constexpr const char* source = ".cu";

/// `relative` to the root of the course; with `bare` also "LAB/…".
std::optional<LabPath> inside_course(const fs::path& relative, const std::vector<std::string>& labs,
                                     bool bare) {
  std::vector<std::string> parts;
  for (const fs::path& part : relative)
    if (!part.empty()) parts.push_back(part.string());
  LabPath path;
  std::size_t next = 0;
  if (!parts.empty() && (parts[0] == "labs" || parts[0] == "solutions")) {
    path.in_solutions = parts[0] == "solutions";
    next = 1;
  } else if (!bare) {
    return std::nullopt;
  }
  if (next >= parts.size() || std::ranges::find(labs, parts[next]) == labs.end())
    return std::nullopt;
  path.lab = parts[next];
  fs::path rest;
  for (std::size_t i = next + 1; i < parts.size(); ++i) rest /= parts[i];
  path.inside = rest.string();
  return path;
}

/// `path` absolute, its folder without links; empty where that cannot be.
fs::path without_links(const fs::path& path) {
  std::error_code failed;
  fs::path absolute = fs::absolute(path, failed).lexically_normal();
  if (absolute.filename().empty()) absolute = absolute.parent_path();  // "labs/reduction/"
  const fs::path folder = fs::weakly_canonical(absolute.parent_path(), failed);
  return failed ? fs::path() : folder / absolute.filename();
}

fs::path file_of(const LabPath& path, const fs::path& tree) {
  return tree / (path.in_solutions ? "solutions" : "labs") / path.lab / path.inside;
}

bool ends_as_source(const std::string& word) { return fs::path(word).extension() == source; }

bool begins_as_path(const std::string& word) {
  return word.starts_with('/') || word.starts_with("./") || word.starts_with("../");
}

}  // namespace

bool has_main(const std::string& text) {
  const auto in_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t at = text.find("main"); at != std::string::npos;
       at = text.find("main", at + 1)) {
    const std::size_t behind = text.find_first_not_of(" \t\n", at + 4);
    const bool called = behind != std::string::npos && text[behind] == '(';
    if (called && (at == 0 || !in_name(text[at - 1]))) return true;
  }
  return false;
}

std::string LabPath::stage() const {
  return ends_as_source(inside) ? inside.substr(0, inside.size() - std::string(source).size())
                                : inside;
}

std::optional<LabPath> lab_path(const std::string& word, const std::vector<std::string>& labs,
                                const fs::path& tree) {
  std::error_code failed;
  const bool exists = fs::exists(word, failed);
  std::optional<LabPath> from_here, from_root;
  if (exists || begins_as_path(word) || ends_as_source(word)) {
    const fs::path root = fs::weakly_canonical(tree, failed);
    from_here = inside_course(without_links(word).lexically_relative(root), labs, /*bare=*/false);
  }
  if (exists || word.starts_with('/')) return from_here;
  const fs::path relative = fs::path(word).lexically_normal();
  from_root = inside_course(relative, labs, ends_as_source(word) && relative.has_parent_path());
  const bool only_from_root = from_root && fs::exists(file_of(*from_root, tree), failed);
  return from_here && !only_from_root ? from_here : from_root;
}

std::optional<bool> names_solutions(const std::vector<std::string>& words,
                                    const std::vector<std::string>& labs, const fs::path& tree) {
  std::optional<bool> named;
  for (const std::string& word : words) {
    const auto path = lab_path(word, labs, tree);
    if (!path) continue;
    if (named && *named != path->in_solutions)
      throw UnknownName(
          "Stages in labs/ and in solutions/ are two things to ask for: name either.");
    named = path->in_solutions;
  }
  return named;
}

bool is_own_program(const std::string& word, const std::vector<std::string>& labs,
                    const fs::path& tree) {
  if (!ends_as_source(word)) return false;
  const auto path = lab_path(word, labs, tree);
  if (!path) return true;
  if (load_lab_config(tree / "labs" / path->lab).stage(path->stage()) != nullptr) return false;
  const fs::path file = file_of(*path, tree);
  constexpr std::size_t largest = std::size_t{1} << 20;
  std::error_code missing;
  // Beside stages lies what runs nothing by itself: the baseline, wrong kernels.
  return fs::is_regular_file(file, missing) && fs::file_size(file, missing) <= largest &&
         has_main(read_file(file, largest));
}

}  // namespace gridstride
