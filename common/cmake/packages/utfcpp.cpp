// What the course uses of utfcpp.
#include <utf8.h>

#include <string_view>

char32_t run(std::string_view text) {
  auto at = text.begin();
  if (utf8::find_invalid(at, text.end()) == at) return 0;
  return utf8::unchecked::next(at);
}
