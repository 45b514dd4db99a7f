// Sentinels and poison.
#include "grader/judge/runners/argument_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grader/judge/cases/call.h"
#include "grader/runner/allocation.h"
#include "grader/runner/arguments.h"

namespace gridstride {

Allocation allocation_for(const CallArgument& argument, std::uint64_t guard_bytes) {
  Allocation allocation;
  allocation.kind = argument.info.kind;
  allocation.name = argument.name;
  if (argument.info.kind == ArgumentKind::scalar) {
    const auto value = argument.data();
    allocation.value.assign(value.begin(), value.end());
  } else if (argument.info.kind != ArgumentKind::stream) {
    allocation.bytes = argument.bytes();
    allocation.offset_bytes = argument.offset * argument.element_bytes();
    allocation.guard_bytes = guard_bytes;
  }
  return allocation;
}

std::byte filler_of(const CallArgument& argument) {
  const bool output = argument.info.kind == ArgumentKind::output;
  if (!output || !argument.check || argument.count == 0) return poison;
  std::byte best = poison;
  std::uint64_t most = 0;
  for (const std::byte candidate : {std::byte{0xa5}, std::byte{0x5b}, std::byte{0xc6}, poison}) {
    const std::vector<std::byte> filled(argument.bytes(), candidate);
    const std::uint64_t wrong = argument.check->compare(filled).count;
    if (wrong == argument.count) return candidate;
    if (wrong > most) most = wrong, best = candidate;
  }
  return best;
}

std::uint64_t changed(std::span<const std::byte> bytes, std::byte filler) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(bytes, [filler](std::byte byte) { return byte != filler; }));
}

bool is_untouched(const CallArgument& output, std::span<const std::byte> data, std::byte filler) {
  return output.data().empty() ? changed(data, filler) == 0
                               : std::ranges::equal(data, output.data());
}

}  // namespace gridstride
