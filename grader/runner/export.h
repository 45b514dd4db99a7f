// The adapter between the runner and a stage: how a function that is known by its contract alone is
// called with arguments that arrive as bytes.
//
// One generated file per lab defines GRIDSTRIDE_EXPORT_CONTRACT and includes the lab's contract;
// its object is linked into every stage library. For each GRIDSTRIDE_CONTRACT(f) the library then
// has a symbol `gridstride_contract_f`, an entry that the runner finds by that name. A stage need
// not define every function of its lab: the reference to f is weak, and null where f is not
// defined.
#pragma once

#include <cstddef>
#include <utility>

#include "grader/runner/contract_entry.h"

namespace gridstride {

template <class... Parameters, std::size_t... Index>
void invoke_with(void (*function)(Parameters...), void* const* slots,
                 std::index_sequence<Index...>) {
  function(*static_cast<Parameters*>(slots[Index])...);
}

template <class... Parameters>
void invoke(void (*function)(Parameters...), void* const* slots) {
  invoke_with(function, slots, std::index_sequence_for<Parameters...>{});
}

}  // namespace gridstride

#define GRIDSTRIDE_CONTRACT(name)                                                               \
  extern decltype(name) name __attribute__((weak));                                             \
  extern "C" __attribute__((visibility("default")))                                             \
  const gridstride::ContractEntry gridstride_contract_##name;                                   \
  const gridstride::ContractEntry gridstride_contract_##name = {                                \
      gridstride::ContractEntry::current_version, gridstride::Signature<decltype(name)>::count, \
      gridstride::Signature<decltype(name)>::arguments, reinterpret_cast<void (*)()>(name),     \
      [](void* const* slots) { gridstride::invoke(name, slots); }};                             \
  static_assert(true)
