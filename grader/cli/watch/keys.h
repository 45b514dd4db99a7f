// What a terminal sends for keys.
#pragma once

#include <string>
#include <vector>

namespace gridstride::cli {

/// The keys in what a read has brought: a character, or an escape sequence as a whole, arrows in their
/// normal form ("\x1b[A").
std::vector<std::string> keys_in(const std::string& bytes);

}  // namespace gridstride::cli
