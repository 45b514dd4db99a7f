// Where in the program a call of the runtime stands, for messages about what it made.
#pragma once

#include <functional>
#include <string>

namespace gridstride::sim {

/// Of the call that is being answered: a function that says where it stands when it is asked,
/// "line 12 of sort.cu" (a program with debug information), "main()" or "sort+0x1234". Finding the
/// line takes milliseconds, so it is looked for only once somebody wants to know.
std::function<std::string()> calling_site();

}  // namespace gridstride::sim
