// One call of a contract's function: its arguments, and what its outputs must be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "grader/judge/cases/output.h"
#include "grader/runner/arguments.h"

namespace gridstride {

/// An input argument. The vector may be shared with whoever redraws parts of it.
template <class T>
struct Input {
  std::shared_ptr<const std::vector<T>> values;
  std::uint64_t offset = 0;  ///< elements past an aligned address

  Input at_offset(std::uint64_t elements) && {
    offset = elements;
    return std::move(*this);
  }
};

template <class T>
Input<T> input(std::vector<T> values) {
  return {std::make_shared<const std::vector<T>>(std::move(values)), 0};
}

template <class T>
Input<T> input(std::shared_ptr<std::vector<T>> values) {
  return {std::move(values), 0};
}

/// An argument of so many elements that has an address only: see CaseOptions::too_large().
template <class T>
struct Absent {
  std::uint64_t count = 0;
};
template <class T>
Absent<T> absent(std::int64_t count) {
  return {static_cast<std::uint64_t>(count)};
}

/// A scratch argument of so many bytes.
struct ScratchBytes {
  std::uint64_t bytes = 0;
};
inline ScratchBytes scratch(std::uint64_t bytes) { return {bytes}; }

/// An argument without its type: what the judge's own code works with.
struct CallArgument {
  ArgumentInfo info;
  std::string name;          ///< for messages: "out", or "parameter 2"
  std::uint64_t count = 0;   ///< elements; bytes of a scratch; 1 for a scalar
  std::uint64_t offset = 0;  ///< elements
  /// The vector behind an input, an output that has initial contents, or a scalar; else null.
  std::shared_ptr<const void> owner;
  std::span<const std::byte> (*view)(const void* owner) = nullptr;
  std::shared_ptr<const OutputCheck> check;  ///< of an output
  bool absent = false;                       ///< an address, and nothing behind it
  /// The element `index` of such bytes, for messages; null for a scratch and a stream.
  std::string (*text)(std::span<const std::byte> bytes, std::uint64_t index) = nullptr;
  std::uint64_t columns = 0;  ///< elements in a row, where the author says that there are rows

  std::uint64_t element_bytes() const {
    return info.kind == ArgumentKind::scratch ? 1 : info.element_bytes;
  }
  std::uint64_t bytes() const { return count * element_bytes(); }
  /// "out[37]", and where that is where there are rows.
  std::string element(std::uint64_t index) const;
  /// The contents as they are now, empty where there are none. Who shares the vector may redraw it,
  /// and may assign another of the same length: throws std::logic_error if the length has changed.
  std::span<const std::byte> data() const {
    if (!owner) return {};
    const auto now = view(owner.get());
    if (now.size() != bytes())
      throw std::logic_error("a redraw changed the length of " + name + " from " +
                             std::to_string(bytes()) + " to " + std::to_string(now.size()) +
                             " bytes");
    return now;
  }
};

struct Call {
  std::vector<CallArgument> arguments;  ///< one for each parameter, the stream included
};

namespace detail {

template <class T>
std::string text_of(std::span<const std::byte> bytes, std::uint64_t index) {
  return shown(element_of<T>(bytes, index));
}

template <class T>
CallArgument with_data(CallArgument argument, std::shared_ptr<const std::vector<T>> values) {
  argument.count = values->size();
  argument.owner = std::move(values);
  argument.view = [](const void* owner) {
    return std::as_bytes(std::span(*static_cast<const std::vector<T>*>(owner)));
  };
  return argument;
}

template <class Parameter, class Given>
CallArgument make_argument(Given given) {
  CallArgument argument;
  argument.info = argument_info<Parameter>();
  if constexpr (std::is_same_v<Parameter, Scratch>) {
    static_assert(std::is_same_v<Given, ScratchBytes>,
                  "this parameter is gridstride::Scratch: give scratch(bytes)");
    argument.count = given.bytes;
    return argument;
  } else if constexpr (std::is_pointer_v<Parameter>) {
    using Element = std::remove_pointer_t<Parameter>;
    using Value = std::remove_const_t<Element>;
    argument.text = text_of<Value>;
    if constexpr (std::is_same_v<Given, Absent<Value>>) {
      argument.count = given.count;
      argument.absent = true;
      return argument;
    } else if constexpr (std::is_const_v<Element>) {
      static_assert(std::is_same_v<Given, Input<Value>>,
                    "this parameter is const T*: give input(std::vector<T>) of the same T");
      argument.offset = given.offset;
      return with_data(std::move(argument), std::move(given.values));
    } else {
      static_assert(std::is_same_v<Given, Output<Value>>,
                    "this parameter is T*: give exactly, within<T>, accepted<T> or checked<T> of "
                    "the same T");
      argument.offset = given.offset;
      if (given.initial) argument = with_data(std::move(argument), std::move(given.initial));
      argument.count = given.check->count();
      argument.check = std::move(given.check);
      return argument;
    }
  } else {
    static_assert(
        requires { Parameter{std::declval<Given>()}; } || std::is_same_v<Parameter, Given>,
        "this parameter is a number or an enum: give a value of its type, or of one that it holds "
        "without loss");
    argument.text = text_of<Parameter>;
    auto value = std::make_shared<std::vector<Parameter>>(1, static_cast<Parameter>(given));
    return with_data<Parameter>(std::move(argument), std::move(value));
  }
}

inline CallArgument stream_argument() {
  CallArgument argument;
  argument.info = argument_info<cudaStream_t>();
  return argument;
}

template <class Function, std::size_t Parameter>
void append_arguments(Call& call) {
  static_assert(Parameter <= Signature<Function>::count);
  if constexpr (Parameter < Signature<Function>::count) {
    using Type = std::tuple_element_t<Parameter, typename Signature<Function>::Tuple>;
    static_assert(std::is_same_v<Type, cudaStream_t>, "too few arguments for this function");
    call.arguments.push_back(stream_argument());
    append_arguments<Function, Parameter + 1>(call);
  }
}

template <class Function, std::size_t Parameter, class First, class... Rest>
void append_arguments(Call& call, First first, Rest... rest) {
  static_assert(Parameter < Signature<Function>::count, "too many arguments for this function");
  if constexpr (Parameter < Signature<Function>::count) {
    using Type = std::tuple_element_t<Parameter, typename Signature<Function>::Tuple>;
    if constexpr (std::is_same_v<Type, cudaStream_t>) {
      call.arguments.push_back(stream_argument());
      append_arguments<Function, Parameter + 1>(call, std::move(first), std::move(rest)...);
    } else {
      call.arguments.push_back(make_argument<Type>(std::move(first)));
      append_arguments<Function, Parameter + 1>(call, std::move(rest)...);
    }
  }
}

}  // namespace detail

/// The arguments of a call of `Function`, in its order and without the stream. What does not fit
/// the function's type does not compile.
template <class Function, class... Given>
Call make_call(Given... given) {
  Call call;
  detail::append_arguments<Function, 0>(call, std::move(given)...);
  return call;
}

}  // namespace gridstride
