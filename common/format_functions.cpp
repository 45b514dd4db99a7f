// The functions of fmt that are no templates, compiled once and linked statically.
//
// Header-only, each source that calls fmt::format compiles them again, which takes a second and a half. The
// shared library of a machine will not do either: a program that loads our CUDA runtime may bring another.
#include <fmt/core.h>

#include <string>

namespace gridstride {

/// Whose address is taken is not only inlined; it needs the others.
[[gnu::used]] std::string (*const format_function)(fmt::string_view,
                                                   fmt::format_args) = &fmt::vformat;

}  // namespace gridstride
