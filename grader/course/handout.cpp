// A scanner for `code` in Markdown: in prose, "barriers" is a word and no counter.
#include "grader/course/handout.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/simulator/count/counters.h"
#include "common/simulator/device/named_bytes.h"

namespace gridstride {
namespace {

constexpr const char* name_characters = "abcdefghijklmnopqrstuvwxyz0123456789_";

/// The words of `code` that can be a counter's name.
std::vector<std::string> words_of(const std::string& code) {
  std::vector<std::string> words;
  for (std::size_t begin = code.find_first_of(name_characters); begin != std::string::npos;) {
    const std::size_t end = std::min(code.find_first_not_of(name_characters, begin), code.size());
    words.push_back(code.substr(begin, end - begin));
    begin = code.find_first_of(name_characters, end);
  }
  return words;
}

}  // namespace

std::vector<std::string> counter_names() {
  std::vector<std::string> names;
  for (const sim::NamedCounter& counter : sim::named_counters()) names.emplace_back(counter.name);
  for (const sim::NamedBytes& copied : sim::named_bytes) names.emplace_back(copied.name);
  return names;
}

std::vector<std::string> handout_counters(const std::filesystem::path& folder) {
  std::string text;
  try {
    text = read_file(folder / "README.md");
  } catch (const std::exception&) {
    return {};
  }
  const std::vector<std::string> known = counter_names();
  std::vector<std::string> counters;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream pieces(line);
    bool is_code = false;
    for (std::string piece; std::getline(pieces, piece, '`'); is_code = !is_code) {
      if (!is_code) continue;
      for (const std::string& word : words_of(piece)) {
        if (std::ranges::find(known, word) != known.end() &&
            std::ranges::find(counters, word) == counters.end())
          counters.push_back(word);
      }
    }
  }
  return counters;
}

}  // namespace gridstride
