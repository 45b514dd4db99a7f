// See the header.
#include "common/simulator/playback/figure_words.h"

#include <cstddef>
#include <stdexcept>
#include <string>

namespace gridstride::sim {

std::string filled(const std::string& text, const FigureValues& values) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{') {
      result += text[i];
      continue;
    }
    if (text.compare(i, 2, "{{") == 0) {
      result += text[i++];
      continue;
    }
    const std::size_t end = text.find('}', i);
    if (end == std::string::npos)
      throw std::invalid_argument("a '{' without its '}'; '{{' is a brace");
    std::string name = text.substr(i + 1, end - i - 1), one, many;
    if (const std::size_t bar = name.find('|'); bar != std::string::npos) {
      const std::size_t second = name.find('|', bar + 1);
      if (second == std::string::npos)
        throw std::invalid_argument("expected two words, as in {passes|pass|passes}");
      one = " " + name.substr(bar + 1, second - bar - 1);
      many = " " + name.substr(second + 1);
      name.resize(bar);
    }
    const auto value = values.find(name);
    if (value == values.end()) {
      std::string known;
      for (const auto& [known_one, ignored] : values)
        known += (known.empty() ? "{" : ", {") + known_one + "}";
      throw std::invalid_argument("there is no {" + name + "} here; there is " + known);
    }
    result += value->second + (value->second == "1" ? one : many);
    i = end;
  }
  return result;
}

}  // namespace gridstride::sim
