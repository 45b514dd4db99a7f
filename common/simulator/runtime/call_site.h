// Where in the program a call of the runtime stands, for messages about what it made.
#pragma once

#include <functional>
#include <string>

namespace gridstride::sim {

/// Of the call that is being answered: a function that says where it stands when it is asked,
/// "in line 12 of sort.cu" (a program with debug information), "in main()" or "in sort+0x1234".
/// Finding the line takes milliseconds, so it is looked for only once somebody wants to know.
std::function<std::string()> calling_site();

/// The same in words that are known at once, for a device that is not in this process: "in
/// solve(int)", the function that calls or, where the program does not export that one, the nearest
/// of its callers in the same library; "in sort.so" when there is none.
std::string calling_function();

}  // namespace gridstride::sim
