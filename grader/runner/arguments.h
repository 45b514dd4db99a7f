// What the parameter types of a contract mean: shared by the judge, which makes arguments, and by
// the adapter in each stage library, which passes them on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "common/contract.h"

namespace gridstride {

enum class ArgumentKind : std::uint32_t { input = 1, output, scalar, scratch, stream };

struct ArgumentInfo {
  ArgumentKind kind{};
  std::uint32_t element_bytes = 0;  ///< of what a pointer points at, or of a scalar; else 0
};

template <class Parameter>
constexpr ArgumentInfo argument_info() {
  if constexpr (std::is_same_v<Parameter, cudaStream_t>) {
    return {ArgumentKind::stream, 0};
  } else if constexpr (std::is_same_v<Parameter, Scratch>) {
    return {ArgumentKind::scratch, 0};
  } else if constexpr (std::is_pointer_v<Parameter>) {
    using Element = std::remove_pointer_t<Parameter>;
    static_assert(std::is_trivially_copyable_v<Element>,
                  "a contract's pointers must point at plain data");
    return {std::is_const_v<Element> ? ArgumentKind::input : ArgumentKind::output, sizeof(Element)};
  } else {
    static_assert(std::is_arithmetic_v<Parameter> || std::is_enum_v<Parameter>,
                  "a contract's parameters are const T*, T*, numbers, enums, gridstride::Scratch "
                  "and cudaStream_t");
    return {ArgumentKind::scalar, sizeof(Parameter)};
  }
}

/// The parameters of a function type.
template <class Function>
struct Signature;

template <class... Parameters>
struct Signature<void(Parameters...)> {
  static constexpr std::size_t count = sizeof...(Parameters);
  static constexpr ArgumentInfo arguments[] = {argument_info<Parameters>()...};
  using Tuple = std::tuple<Parameters...>;
};

}  // namespace gridstride
