// What ptxas says in the machine code that it made.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace gridstride::sim::fatbin {

/// By the kernel's name, as PTX has it.
using Registers = std::map<std::string, std::uint32_t, std::less<>>;

/// The registers that a thread of each kernel in `elf` takes, as `ptxas -v` prints them; of functions
/// that were not inlined too. Empty for what a link is still to make a program of: a kernel takes the
/// registers of what it calls, which are known then. Throws FatbinError on anything truncated or
/// impossible; never reads past `elf`, and takes time in proportion to its length.
Registers registers_in(std::string_view elf);

}  // namespace gridstride::sim::fatbin
