// Escaping.
#include "common/simulator/explain/html.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "common/text.h"

namespace gridstride::sim {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : clean_text(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string embedded(const nlohmann::json& value) {
  std::string out;
  for (const char c : value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string element(const char* tag, std::string_view text, const char* css_class) {
  const std::string name = tag;
  const std::string attribute =
      *css_class == '\0' ? "" : " class=\"" + std::string(css_class) + "\"";
  return "<" + name + attribute + ">" + escaped(text) + "</" + name + ">";
}

}  // namespace gridstride::sim
