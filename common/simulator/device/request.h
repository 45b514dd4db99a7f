// One request of the device's protocol, deduced from the member function of Device that it calls.
//
// A request carries the function's arguments one after the other, its reply the result. The bytes
// of a std::span<const std::byte> are not copied on arrival: the function gets them where they lie.
// Of a std::span<std::byte>, which the function fills, the request carries the size and the reply
// the bytes, and nothing else.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "common/simulator/device/device.h"
#include "common/simulator/device/packing.h"
#include "common/simulator/device/wire.h"

namespace gridstride::sim::wire {

/// Of a text in a request, which is the words for where an allocation was made.
constexpr std::size_t most_text_bytes = 512;

using Filled = std::span<std::byte>;

template <class T>
const T& as_sent(const T& argument) {
  return argument;
}
inline ReplyBytes as_sent(const Filled& argument) { return {argument.size()}; }

template <class T>
std::size_t bulk_bytes(const T&) {
  return 0;
}
inline std::size_t bulk_bytes(const std::span<const std::byte>& argument) {
  return argument.size();
}

template <class T>
const T& as_passed(Writer&, const T& argument) {
  return argument;
}
inline Filled as_passed(Writer& reply, const ReplyBytes& wanted) {
  return reply.room(wanted.count);
}

template <class T>
void take_filled(Reader&, const T&) {}
inline void take_filled(Reader& reply, const Filled& argument) {
  std::ranges::copy(reply.get_raw(argument.size()), argument.begin());
}

template <auto function>
inline constexpr bool is_member_of_device = false;

template <std::uint16_t id, auto function>
struct Request {
  static_assert(is_member_of_device<function>,
                "A request calls a member function of Device that is not const.");
};

template <std::uint16_t id, class Result, class... Arguments,
          Result (Device::*member)(Arguments...)>
struct Request<id, member> {
  static constexpr std::uint16_t number = id;
  static constexpr auto function = member;
  static constexpr int filled = (0 + ... + std::is_same_v<Arguments, Filled>);
  static_assert(filled == 0 || (filled == 1 && std::is_void_v<Result>),
                "A request that fills memory fills one piece and has no other result.");

  using Returned = Result;
  /// What the arguments are between the wire and the call.
  using Held = std::tuple<std::conditional_t<std::is_same_v<Arguments, Filled>, ReplyBytes,
                                             std::remove_cvref_t<Arguments>>...>;

  static consteval std::uint32_t shape() {
    std::uint32_t all = mixed(id, wire::shape<Result>());
    ((all = mixed(all, wire::shape<std::remove_cvref_t<Arguments>>())), ...);
    return all;
  }

  /// The client's words.
  static std::vector<std::byte> pack(const std::remove_cvref_t<Arguments>&... arguments) {
    Writer writer;
    constexpr std::size_t others = 256;                      // bytes, of most requests
    writer.reserve((others + ... + bulk_bytes(arguments)));  // what grows later is copied again
    [[maybe_unused]] Out out{writer};
    (travel(out, as_sent(arguments)), ...);
    return writer.take();
  }
  /// What the server understands. Throws WireError; what it returns may point into the bytes.
  static Held unpack(Reader& reader) {
    Held held{};
    [[maybe_unused]] In in{reader, most_text_bytes};
    std::apply([&](auto&... each) { (travel(in, each), ...); }, held);
    reader.finish();
    return held;
  }
  /// The server's reply. Throws whatever `device` does.
  static std::vector<std::byte> call(Device& device, const Held& held) {
    Writer reply;
    [[maybe_unused]] Out out{reply};
    const auto pass = [&](const auto&... each) -> Result {
      return (device.*member)(as_passed(reply, each)...);
    };
    if constexpr (std::is_void_v<Result>) {
      std::apply(pass, held);
    } else {
      travel(out, std::apply(pass, held));
    }
    return reply.take();
  }
  /// What the client is told, as the function's result and in what it fills. Throws WireError.
  static Result result(const std::vector<std::byte>& reply,
                       const std::remove_cvref_t<Arguments>&... arguments) {
    Reader reader(reply);
    if constexpr (std::is_void_v<Result>) {
      (take_filled(reader, arguments), ...);
      reader.finish();
    } else {
      Result value{};
      In in{reader};
      travel(in, value);
      reader.finish();
      return value;
    }
  }
};

template <auto>
struct Function {};

/// The requests that one socket takes.
template <class... Requests>
struct RequestList {
  /// The reply to request `number`. Throws WireError when the list does not have it, or the bytes
  /// are malformed.
  static std::vector<std::byte> answer(std::uint16_t number, Device& device, Reader& reader) {
    std::vector<std::byte> reply;
    const auto is = [&]<class One>(const One*) {
      if (One::number != number) return false;
      reply = One::call(device, One::unpack(reader));
      return true;
    };
    if (!(is(static_cast<const Requests*>(nullptr)) || ...)) {
      throw WireError("not a request that this socket takes");
    }
    return reply;
  }
  /// Of the request that calls `function`; 0: none.
  template <auto function>
  static consteval std::uint16_t number_of() {
    std::uint16_t number = 0;
    ((number = std::is_same_v<Function<Requests::function>, Function<function>> ? Requests::number
                                                                                : number),
     ...);
    return number;
  }
  static consteval bool has_each_once() {
    std::array numbers{Requests::number...};
    std::ranges::sort(numbers);
    return std::ranges::adjacent_find(numbers) == numbers.end() &&
           ((number_of<Requests::function>() == Requests::number) && ...);
  }
  static consteval std::uint32_t shape() {
    std::uint32_t all = 0;
    ((all = mixed(all, Requests::shape())), ...);
    return all;
  }
  /// visit.operator()<Request>() for each.
  template <class Visit>
  static void for_each(Visit&& visit) {
    (visit.template operator()<Requests>(), ...);
  }
};

/// The request of `List` that calls `function`.
template <auto function, class List>
struct RequestFor : Request<List::template number_of<function>(), function> {
  static_assert(RequestFor::number != 0, "This function is not on the socket's list of requests.");
};

}  // namespace gridstride::sim::wire
