// Words that several findings use.
#pragma once

#include <cstdint>
#include <string>

#include "common/simulator/check/finding.h"
#include "common/simulator/memory/global_memory.h"

namespace gridstride::sim {

std::string ordinal(std::uint64_t number);     ///< "3rd"
std::string bytes_text(std::uint64_t bytes);   ///< "1 byte", "4 bytes"
std::string hexadecimal(std::uint64_t value);  ///< "0xa0000000004"
std::string mask_text(std::uint32_t mask);     ///< "0x0000ffff"
std::string in_line(std::uint32_t line);       ///< " in line 12", "" of line 0, which is unknown
std::string capital(std::string sentence);     ///< its first letter
/// "the 4096-byte allocation (the 2nd cudaMalloc, in line 12 of sort.cu)", "the 4-byte variable
/// counter".
std::string allocation_title(const Allocation& allocation);

/// " (Line 12 is called in line 30.)", " (Line 12 calls inlined code: line 41 of reduce.h.)" where
/// that is so, to stand behind a message.
std::string inlining_of(const Finding& finding);

}  // namespace gridstride::sim
