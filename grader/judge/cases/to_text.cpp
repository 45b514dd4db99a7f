// Numbers and bytes as text.
#include "grader/judge/cases/to_text.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>

namespace gridstride {
namespace {

template <class T>
std::string shortest(T value) {
  if (std::isnan(value)) return "nan";  // its sign means nothing
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

}  // namespace

std::string number_text(float value) { return shortest(value); }
std::string number_text(double value) { return shortest(value); }

std::string hex_text(const void* bytes, std::size_t count) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text = "0x";
  for (std::size_t i = 0; i < count; ++i) {
    const auto byte = static_cast<const unsigned char*>(bytes)[i];
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace gridstride
