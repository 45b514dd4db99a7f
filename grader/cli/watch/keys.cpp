// Escape sequences as ECMA-48 builds them: they end with a character from @ to ~.
#include "grader/cli/watch/keys.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace gridstride::cli {

std::vector<std::string> keys_in(const std::string& bytes) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < bytes.size();) {
    std::size_t length = 1;
    if (bytes[i] == '\x1b' && i + 1 < bytes.size() &&
        (bytes[i + 1] == '[' || bytes[i + 1] == 'O')) {
      length = 2;
      while (i + length < bytes.size() && (bytes[i + length] < '@' || bytes[i + length] > '~'))
        ++length;
      length = std::min(length + 1, bytes.size() - i);
    }
    std::string key = bytes.substr(i, length);
    if (key.size() == 3 && key[1] == 'O') key[1] = '[';  // arrows in application mode
    keys.push_back(key);
    i += length;
  }
  return keys;
}

}  // namespace gridstride::cli
