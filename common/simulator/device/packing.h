// How a value travels on the device process's sockets, deduced from its type: the only place that
// knows, for requests and replies, for those who write and those who read.
//
// travel() takes a value apart and hands the pieces to an archive in the order of the wire. Out
// appends them to a Writer, In takes them from a Reader; tests have one that makes them up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/simulator/device/wire.h"

namespace gridstride::sim::wire {

/// Specialise for a structure: pointers to its members, in the order in which they travel.
template <class T>
inline constexpr std::nullptr_t fields = nullptr;
template <class First, class Second>
inline constexpr auto fields<std::pair<First, Second>> =
    std::tuple(&std::pair<First, Second>::first, &std::pair<First, Second>::second);

template <class T>
concept Listed = !std::is_same_v<decltype(fields<T>), const std::nullptr_t>;

/// Specialise as true for a structure of numbers only: it travels as its bytes.
template <class T>
inline constexpr bool travels_whole = false;

/// What a request carries in place of memory that its reply fills.
struct ReplyBytes {
  std::uint64_t count = 0;  ///< at most max_bulk_bytes
};

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr std::size_t array_size = 0;
template <class T, std::size_t size>
inline constexpr std::size_t array_size<std::array<T, size>> = size;

/// What an archive takes in one piece: its leaf() has an overload for each.
template <class T>
concept Leaf = Plain<T> || travels_whole<T> || std::is_same_v<T, std::string> ||
    std::is_same_v<T, std::vector<std::byte>> || std::is_same_v<T, std::span<const std::byte>> ||
    std::is_same_v<T, ReplyBytes>;

template <class>
inline constexpr bool never = false;

template <class Archive, class T>
void travel(Archive& archive, T&& value) {
  using Value = std::remove_cvref_t<T>;
  if constexpr (Leaf<Value>) {
    archive.leaf(value);
  } else if constexpr (is_vector<Value>) {
    archive.length(value);
    for (auto& element : value) travel(archive, element);
  } else if constexpr (is_optional<Value>) {
    archive.presence(value);
    if (value) travel(archive, *value);
  } else if constexpr (array_size<Value> > 0) {
    for (auto& element : value) travel(archive, element);
  } else if constexpr (Listed<Value>) {
    std::apply([&](auto... members) { (travel(archive, value.*members), ...); }, fields<Value>);
  } else {
    static_assert(never<Value>, "This type does not travel: list its members in fields.h.");
  }
}

constexpr std::uint32_t mixed(std::uint32_t seed, std::uint32_t value) {
  return (seed ^ value) * 16777619U;  // FNV-1a's prime
}

/// A number that follows from how a T travels; that of another type is most likely another.
template <class T>
consteval std::uint32_t shape() {
  if constexpr (std::is_void_v<T>) {
    return 1;
  } else if constexpr (Plain<T>) {
    return mixed(2, sizeof(T));
  } else if constexpr (travels_whole<T>) {
    return mixed(3, sizeof(T));
  } else if constexpr (Leaf<T> || std::is_same_v<T, std::span<std::byte>>) {
    return mixed(4, std::is_same_v<T, std::string>);
  } else if constexpr (is_vector<T> || is_optional<T>) {
    return mixed(is_vector<T> ? 5 : 6, shape<typename T::value_type>());
  } else if constexpr (array_size<T> > 0) {
    return mixed(array_size<T>, shape<typename T::value_type>());
  } else {
    std::uint32_t all = 7;
    std::apply(
        [&]<class... Members>(Members T::*...) { ((all = mixed(all, shape<Members>())), ...); },
        fields<T>);
    return all;
  }
}

/// The fewest bytes that a T takes on the wire.
template <class T>
consteval std::size_t least_bytes() {
  if constexpr (Plain<T>) {
    return sizeof(T);
  } else if constexpr (is_optional<T>) {
    return 1;
  } else if constexpr (array_size<T> > 0) {
    return array_size<T> * least_bytes<typename T::value_type>();
  } else if constexpr (Listed<T>) {
    return std::apply(
        []<class... Members>(Members T::*...) { return (least_bytes<Members>() + ... + 0); },
        fields<T>);
  } else {
    return sizeof(std::uint64_t);  // a count, with nothing behind it
  }
}

struct Out {
  Writer& writer;

  template <Plain T>
  void leaf(const T& value) {
    writer.put(value);
  }
  void leaf(const std::string& text) { writer.put_text(text); }
  void leaf(std::span<const std::byte> bytes) { writer.put_bytes(bytes); }
  void leaf(const ReplyBytes& wanted) { writer.put(wanted.count); }
  template <class T>
  requires travels_whole<T>
  void leaf(const T& value) { writer.put_bytes(std::as_bytes(std::span<const T, 1>(&value, 1))); }
  template <class T>
  void length(const std::vector<T>& values) {
    writer.put(std::uint64_t{values.size()});
  }
  template <class T>
  void presence(const std::optional<T>& value) {
    writer.put(value.has_value());
  }
};

/// Every length is compared with the bytes that are left before anything is allocated.
struct In {
  Reader& reader;
  std::size_t most_text = max_message_bytes;  ///< bytes

  template <Plain T>
  void leaf(T& value) {
    value = reader.get<T>();
  }
  void leaf(bool& value) { value = reader.get_flag(); }
  void leaf(std::string& text) {
    const auto bytes = reader.get_bytes();
    if (bytes.size() > most_text) throw WireError("a text that is too long");
    text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void leaf(std::vector<std::byte>& bytes) {
    const auto taken = reader.get_bytes();
    bytes.assign(taken.begin(), taken.end());
  }
  /// Not a copy: the bytes stay where the reader has them.
  void leaf(std::span<const std::byte>& bytes) { bytes = reader.get_bytes(); }
  void leaf(ReplyBytes& wanted) {
    wanted.count = reader.get<std::uint64_t>();
    if (wanted.count > max_bulk_bytes) throw WireError("a read of too many bytes");
  }
  template <class T>
  requires travels_whole<T>
  void leaf(T& value) {
    static_assert(std::has_unique_object_representations_v<T>,
                  "A structure with padding or floating-point numbers does not travel whole.");
    const auto bytes = reader.get_bytes();
    if (bytes.size() != sizeof value) throw WireError("a structure of another size");
    std::memcpy(&value, bytes.data(), sizeof value);
  }
  template <class T>
  void length(std::vector<T>& values) {
    values.resize(reader.get_count(least_bytes<T>()));
  }
  template <class T>
  void presence(std::optional<T>& value) {
    if (reader.get_flag()) value.emplace();
  }
};

}  // namespace gridstride::sim::wire
