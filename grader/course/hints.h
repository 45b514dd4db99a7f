// A stage's hints: labs/<lab>/hints/<stage>.md.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gridstride {

/// The sections of such a file, from vague to plain, each below a heading of its own, "# The idea".
inline constexpr std::array<std::string_view, 4> hint_titles = {"The idea", "The shape", "The line",
                                                                "The whole"};

/// Text, or code in lines of its own that have the indentation of the stage's file.
struct HintPart {
  std::string text;  ///< lines, without a line feed behind the last
  bool is_code = false;
};

struct Hint {
  std::string title;
  std::vector<HintPart> parts;
};

/// One for each of hint_titles; none where there is no such file, for who hands a course out may leave
/// hints at home. Throws ConfigError (lab_config.h) that names file and line of what is not so.
std::vector<Hint> load_hints(const std::filesystem::path& lab_folder, const std::string& stage);

}  // namespace gridstride
