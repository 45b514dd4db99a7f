// Escaping, and what stands around every page.
#include "common/simulator/explain/html.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "common/simulator/explain/page_parts.h"
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

std::string whole_page(std::string_view title, std::string_view style, std::string_view contents,
                       std::string_view scripts) {
  std::string policy = "default-src 'none'; style-src 'unsafe-inline'";
  if (!scripts.empty()) policy += "; script-src 'unsafe-inline'; img-src data:";
  std::string html =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
      policy + "\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">" +
      element("title", title) + "<style>";
  html.append(page_style).append(style).append("</style></head><body><main>").append(contents);
  return html.append("</main>\n").append(scripts).append("</body></html>\n");
}

}  // namespace gridstride::sim
