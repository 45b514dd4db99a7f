// As the platforms' exports are in 2026; Moodle 4, Canvas, Gradescope, GitHub Classroom's CLI.
#include "grader/submissions/platforms.h"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "common/text.h"

namespace gridstride {
namespace {

constexpr std::size_t longest_name = 255;  // as file systems have it; regular expressions recurse

std::optional<std::smatch> matched(const std::string& text, const char* pattern) {
  if (text.size() > longest_name) return std::nullopt;
  std::smatch match;
  if (!std::regex_match(text, match, std::regex(pattern))) return std::nullopt;
  return match;
}

std::int64_t number_in(const std::string& digits) {
  std::int64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

/// YAML's plain, 'quoted' and "quoted" scalars, as far as names and addresses need it.
std::string scalar(std::string text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return {};
  text = text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
  if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') &&
      text.back() == text.front())
    text = text.substr(1, text.size() - 2);
  return text == "null" || text == "~" ? std::string() : text;
}

}  // namespace

std::optional<ExportedName> moodle_name(std::string_view name) {
  const std::string text(name);
  const auto match =
      matched(text, "(.+)_([0-9]{1,18})_assignsubmission_(file|onlinetext|comments)(_(.*))?");
  if (!match) return std::nullopt;
  ExportedName exported;
  exported.student = {(*match)[2], clean_text((*match)[1].str()), (*match)[2], ""};
  exported.rest = (*match)[5];
  return exported;
}

std::optional<ExportedName> canvas_name(std::string_view name) {
  const std::string text(name);
  const auto match = matched(text, "([^_]+)_(LATE_)?([0-9]{1,18})_([0-9]{1,18})_(.+)");
  if (!match) return std::nullopt;
  ExportedName exported;
  exported.student = {(*match)[3], clean_text((*match)[1].str()), (*match)[3], ""};
  exported.late = (*match)[2].matched;
  exported.order = number_in((*match)[4]);
  // The same file handed in again gets "-1" behind its name.
  exported.rest =
      std::regex_replace((*match)[5].str(), std::regex("-[0-9]+(\\.[a-z]+(\\.[a-z0-9]+)?)$"), "$1");
  return exported;
}

std::map<std::string, GradescopeSubmission> read_gradescope_metadata(std::string_view text) {
  std::map<std::string, GradescopeSubmission> all;
  GradescopeSubmission* current = nullptr;
  std::istringstream lines{std::string(text)};
  bool in_submitters = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line == "---") continue;
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    if (indent == 0 && line.find_first_not_of(" \t\r") != 0) continue;
    const bool item = line.compare(indent, 2, "- ") == 0;
    const std::string rest = line.substr(indent + (item ? 2 : 0));
    const std::size_t key_begin = rest.starts_with(':') ? 1 : 0;
    const std::size_t colon = rest.find(':', key_begin);
    if (colon == std::string::npos) continue;
    const std::string key = rest.substr(key_begin, colon - key_begin);
    const std::string value = rest.substr(colon + 1);
    if (indent == 0 && !item && key.starts_with("submission_")) {
      current = &all[key];
      in_submitters = false;
    } else if (current == nullptr) {
      continue;
    } else if (key == "submitters") {
      in_submitters = true;
    } else if (in_submitters && (key == "name" || key == "sid" || key == "email")) {
      if (item || current->submitters.empty()) current->submitters.emplace_back();
      Student& student = current->submitters.back();
      (key == "name"  ? student.name
       : key == "sid" ? student.number
                      : student.email) = clean_text(scalar(value));
    } else if (key == "created_at" && indent <= 2 && !item) {
      current->handed_in = clean_text(scalar(value));
      in_submitters = false;
    } else if (indent <= 2 && !item) {
      in_submitters = false;
    }
  }
  return all;
}

Platform platform_of(const std::vector<std::string>& names) {
  std::size_t moodle = 0, canvas = 0;
  for (const std::string& name : names) {
    if (name == gradescope_metadata) return Platform::gradescope;
    moodle += moodle_name(name) ? 1 : 0;
    canvas += canvas_name(name) ? 1 : 0;
  }
  if (moodle > 0) return Platform::moodle;
  // A folder "a_1_2_x" among others may be anybody's; an export has nothing else in it.
  if (canvas > 0 && canvas == names.size()) return Platform::canvas;
  return Platform::folder;
}

std::string common_prefix(const std::vector<std::string>& names) {
  if (names.size() < 2) return {};
  std::string prefix = names.front();
  for (const std::string& name : names) {
    std::size_t same = 0;
    while (same < std::min(prefix.size(), name.size()) && prefix[same] == name[same]) ++same;
    prefix.resize(same);
  }
  const std::size_t dash = prefix.rfind('-');
  return dash == std::string::npos ? std::string() : prefix.substr(0, dash + 1);
}

std::optional<std::int64_t> time_in(std::string_view text) {
  const std::string whole(text);
  const auto match = matched(whole,
                             "([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T "
                             "]+([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\\.[0-9]*)?)?)?"
                             " *(Z|UTC|([+-])([0-9]{2}):?([0-9]{2}))?");
  if (!match) return std::nullopt;
  const auto number = [&](std::size_t group) {
    return static_cast<int>(number_in((*match)[group].matched ? (*match)[group].str() : "0"));
  };
  std::tm parts{};
  parts.tm_year = number(1) - 1900;
  parts.tm_mon = number(2) - 1;
  parts.tm_mday = number(3);
  parts.tm_hour = number(4);
  parts.tm_min = number(5);
  parts.tm_sec = number(6);
  parts.tm_isdst = -1;
  if (parts.tm_mon < 0 || parts.tm_mon > 11 || parts.tm_mday < 1 || parts.tm_mday > 31 ||
      parts.tm_hour > 24 || parts.tm_min > 59 || parts.tm_sec > 60)
    return std::nullopt;
  if (!(*match)[7].matched) return std::mktime(&parts);
  const std::int64_t offset = (number(9) * 60 + number(10)) * 60;
  return ::timegm(&parts) - ((*match)[8].str() == "-" ? -offset : offset);
}

}  // namespace gridstride
