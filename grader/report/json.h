// Results as JSON, schema 1: what every other tool reads.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "grader/report/results.h"

namespace gridstride {

/// The text is not JSON, or not results of a schema that is known; what() says where and what was
/// expected.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One document, indented, ending in a line feed. The same results give the same bytes: keys stand
/// in a fixed order, whole numbers without a point, other numbers in the fewest digits that read
/// back as the same value; what is not a finite number is null. Text is cleaned (common/text.h).
/// `speedup` and `seconds` are null where nothing was timed.
std::string to_json(const Results& results);

/// Reads what to_json() wrote. Throws JsonError.
Results from_json(std::string_view text);

}  // namespace gridstride
