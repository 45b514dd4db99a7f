// Escapes: a backslash before a space, # or :, two dollars for one, a backslash at the end of a line.
#include "grader/compile/dependencies.h"

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace gridstride {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view blanks = " \t\r";

bool escapable(char c) { return c == ' ' || c == '#' || c == '\t' || c == ':' || c == '\\'; }

/// The word that begins at `at`, which moves behind it.
std::string take_word(std::string_view list, std::size_t& at) {
  std::string word;
  for (; at < list.size(); ++at) {
    const char c = list[at];
    if (c == '\n' || blanks.find(c) != std::string_view::npos) break;
    const char next = at + 1 < list.size() ? list[at + 1] : '\0';
    if (c == '\\' && (next == '\n' || next == '\r')) break;
    if ((c == '\\' && escapable(next)) || (c == '$' && next == '$')) ++at;
    word += list[at];
  }
  return word;
}

std::string escaped(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (c == ' ' || c == '#') text += '\\';
    if (c == '$') text += '$';
    text += c;
  }
  return text;
}

}  // namespace

std::vector<std::string> dependencies_in(std::string_view list) {
  std::vector<std::string> names;
  bool behind_colon = false;
  for (std::size_t at = 0; at < list.size();) {
    const char c = list[at];
    if (c == '\n') {
      behind_colon = false;
      ++at;
    } else if (c == '\\' && list.substr(at + 1, 1) == "\n") {
      at += 2;
    } else if (c == '\\' && list.substr(at + 1, 2) == "\r\n") {
      at += 3;
    } else if (blanks.find(c) != std::string_view::npos) {
      ++at;
    } else {
      std::string word = take_word(list, at);
      if (behind_colon) {
        names.push_back(std::move(word));
      } else if (word.ends_with(':')) {
        behind_colon = true;
      }
    }
  }
  return names;
}

std::vector<fs::path> paths_of(const std::vector<std::string>& names, const fs::path& folder) {
  std::set<fs::path> paths;
  for (const std::string& name : names) {
    // No file's name holds a line feed where the course runs; what lists them has one a line.
    if (name.empty() || name.find_first_of("\n\r") != std::string::npos) continue;
    const fs::path path = folder / name;
    paths.insert(path);
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    if (!error && real != path.lexically_normal()) paths.insert(real);
  }
  return {paths.begin(), paths.end()};
}

std::vector<fs::path> files_among(std::vector<fs::path> paths) {
  std::erase_if(paths, [](const fs::path& path) {
    std::error_code error;
    return !fs::is_regular_file(path, error);
  });
  return paths;
}

std::string_view target_of(std::string_view list) {
  for (std::size_t at = 0; at + 1 < list.size(); ++at) {
    if (list[at] == ':' && (list[at + 1] == '\n' || blanks.find(list[at + 1]) != std::string::npos))
      return list.substr(0, at);
  }
  return {};
}

std::string dependency_rule(std::string_view target, const std::vector<fs::path>& files) {
  std::string rule = std::string(target) + ":";
  for (const fs::path& file : files) rule += " \\\n  " + escaped(file.string());
  return rule + "\n";
}

}  // namespace gridstride
