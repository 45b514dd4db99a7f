// How values become bytes on the device process's sockets, and back from bytes that nobody trusts.
//
// A message is a header {u32 payload bytes, u16 operation, u16 protocol} and its payload, all
// little-endian. Writer appends, Reader takes in the same order and checks every length against
// what is left, so a hostile message ends in WireError and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace gridstride::sim::wire {

/// Bytes that are not a message.
class WireError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Header {
  std::uint32_t bytes = 0;  ///< of the payload
  std::uint16_t operation = 0;
  std::uint16_t protocol = 0;  ///< protocol_number() on the device process's two sockets, else 0
};
static_assert(sizeof(Header) == 8);

/// Follows from all requests and from the types of all that travels in them, so that it differs where programs were
/// built from different sources: they must not take each other's structures for their own.
std::uint16_t protocol_number();

/// Larger transfers are sent in pieces of this size.
constexpr std::size_t max_bulk_bytes = std::size_t{16} << 20;
/// No message is longer: one piece of a transfer, or the containers of one module.
constexpr std::size_t max_message_bytes = std::size_t{64} << 20;

/// Values that travel as their bytes.
template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Writer {
 public:
  /// So many bytes will be put: less is no mistake, more is slow.
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  template <Plain T>
  void put(T value) {
    append(std::as_bytes(std::span<const T, 1>(&value, 1)));
  }
  /// u64 count, then the bytes.
  void put_bytes(std::span<const std::byte> bytes) {
    put(std::uint64_t{bytes.size()});
    append(bytes);
  }
  void put_text(const std::string& text) { put_bytes(std::as_bytes(std::span(text))); }
  /// Appends zeros, for the caller to overwrite before anything else is put.
  std::span<std::byte> room(std::size_t bytes) {
    const std::size_t before = bytes_.size();
    bytes_.resize(before + bytes);
    return std::span(bytes_).subspan(before);
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  /// Not insert(): GCC 12 warns of overflows in its inlined copies that cannot happen.
  void append(std::span<const std::byte> bytes) {
    if (!bytes.empty()) std::memcpy(room(bytes.size()).data(), bytes.data(), bytes.size());
  }

  std::vector<std::byte> bytes_;
};

/// One message of several values.
template <Plain... Values>
std::vector<std::byte> packed(const Values&... values) {
  Writer writer;
  (writer.put(values), ...);
  return writer.take();
}

/// Does not own `bytes`.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <Plain T>
  T get() {
    T value;
    std::memcpy(&value, get_raw(sizeof value).data(), sizeof value);
    return value;
  }
  /// A bool must be 0 or 1: any other byte in a bool is undefined behaviour.
  bool get_flag() {
    const auto value = get<std::uint8_t>();
    if (value > 1) throw WireError("a flag that is neither 0 nor 1");
    return value == 1;
  }
  std::span<const std::byte> get_bytes() { return get_raw(get<std::uint64_t>()); }
  /// The next `bytes`, of which both sides know how many they are.
  std::span<const std::byte> get_raw(std::uint64_t bytes) {
    if (bytes > rest_.size()) throw WireError("truncated");
    const auto taken = rest_.first(static_cast<std::size_t>(bytes));
    rest_ = rest_.subspan(static_cast<std::size_t>(bytes));
    return taken;
  }
  std::string get_text() {
    const auto bytes = get_bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  /// A number of elements that take at least `element_bytes` each: more than the rest can hold is
  /// refused before anything is allocated for it.
  std::uint64_t get_count(std::size_t element_bytes) {
    const auto count = get<std::uint64_t>();
    if (count > rest_.size() / element_bytes) throw WireError("more elements than bytes");
    return count;
  }
  /// Everything must have been read.
  void finish() const {
    if (!rest_.empty()) throw WireError("bytes left over");
  }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace gridstride::sim::wire
