// What libstdc++ says of a file stands in brackets behind the reason.
#include "common/error_words.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>

namespace gridstride {

std::string words_of(const std::exception& error) {
  const auto* const ours = dynamic_cast<const std::filesystem::filesystem_error*>(&error);
  if (ours == nullptr) return error.what();
  // "filesystem error: cannot rename: Is a directory [a] [b]"
  constexpr std::string_view begin = "filesystem error: ";
  const std::string reason = ours->code().message();
  std::string words = error.what();
  if (words.starts_with(begin)) words.erase(0, begin.size());
  words.erase(std::min(words.find(": " + reason), words.size()));
  if (!ours->path1().empty()) words += " " + ours->path1().string();
  if (!ours->path2().empty()) words += " to " + ours->path2().string();
  return words + ": " + reason + ".";
}

}  // namespace gridstride
