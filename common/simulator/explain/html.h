// Text in a page. Sources, kernel names and messages are the student's, so everything goes through
// here.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace gridstride::sim {

/// Safe between tags and in quoted attributes; what is no text is replaced (common/text.h).
std::string escaped(std::string_view text);

/// `value` for a script element of type application/json: nothing in it can end the element.
std::string embedded(const nlohmann::json& value);

/// "<tag>text</tag>", the text escaped.
std::string element(const char* tag, std::string_view text, const char* css_class = "");

/// A whole page in the course's style, and `style` (CSS) behind that: `title` is text, `contents` HTML for
/// <main>, `scripts` HTML behind it. The page may load nothing, and without `scripts` nothing in it may run: not
/// even what a hole in the escaping might name.
std::string whole_page(std::string_view title, std::string_view style, std::string_view contents,
                       std::string_view scripts = {});

}  // namespace gridstride::sim
