// What a stage library says of one function of its lab's contract.
#pragma once

#include <cstdint>

#include "grader/runner/arguments.h"

namespace gridstride {

/// Exported as `gridstride_contract_<function>` (export.h).
struct ContractEntry {
  static constexpr std::uint32_t current_version = 1;
  std::uint32_t version;
  std::uint32_t argument_count;
  const ArgumentInfo* arguments;
  void (*function)();  ///< null when the stage does not define it
  /// Calls the function; slots[i] points at the value of argument i: at a pointer, a number, a
  /// Scratch or a stream.
  void (*invoke)(void* const* slots);
};

}  // namespace gridstride
