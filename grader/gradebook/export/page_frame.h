// What the class's page and the students' have around their contents.
#pragma once

#include <string>
#include <string_view>

namespace gridstride {

/// A whole page that may load nothing. `body` is HTML, `title` text, `style` what the page adds to the
/// style of all.
std::string page_of(std::string_view title, std::string_view body, std::string_view style = {});

/// A relative path as a link has it: escaped for URL and attribute.
std::string url_path(std::string_view path);

}  // namespace gridstride
