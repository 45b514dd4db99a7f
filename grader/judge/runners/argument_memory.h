// What the arguments of a call look like in memory: bands around them, what fills them, and whether
// it is still there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "grader/judge/cases/call.h"
#include "grader/runner/allocation.h"

namespace gridstride {

/// Beside inputs, which are NaN as floating point: what reads past the end does not get away with
/// it.
constexpr std::byte poison{0xff};

/// Memory that is made for an argument, or the value that is passed.
Allocation allocation_for(const CallArgument& argument, std::uint64_t guard_bytes);

/// What the argument's memory is filled with where it has no contents. Of an output, a byte that
/// makes wrong elements only. Not the poison, if that can be helped: what was read past an input's
/// end and written would look as if nothing had been written.
std::byte filler_of(const CallArgument& argument);

/// How many of the bytes are not `filler`.
std::uint64_t changed(std::span<const std::byte> bytes, std::byte filler);

/// Whether the bytes of an output are what they were before the call.
bool is_untouched(const CallArgument& output, std::span<const std::byte> data, std::byte filler);

}  // namespace gridstride
