// Of what a student handed in, what the student wrote: all that the skeleton does not have.
#pragma once

#include <cstddef>
#include <string>

namespace gridstride {

struct OwnText {
  /// The student's own tokens, each in the line where it stands in the whole text, with blanks between.
  /// Plain ASCII whatever was handed in: literals are empty, and no word is longer than 60 characters.
  std::string text;
  std::size_t tokens = 0;
};

/// Layout, comments and names make no difference: a line of the skeleton that was broken anew, or whose
/// variable has another name, is still the skeleton's. Throws std::runtime_error where there is no diff.
OwnText own_text(const std::string& skeleton, const std::string& handed_in);

}  // namespace gridstride
