// Errors as users read them.
#pragma once

#include <exception>
#include <string>

namespace gridstride {

/// What to tell a user of an error. That of the library's functions on files names them in brackets, behind the reason:
/// "cannot rename a to b: Is a directory." comes of it. All others are as they are.
std::string words_of(const std::exception& error);

}  // namespace gridstride
