// For tests: requests of the device's protocol with arguments that nobody would send.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/simulator/device/packing.h"
#include "common/simulator/device/protocol.h"
#include "common/simulator/device/wire.h"
#include "common/simulator/memory/global_memory.h"

namespace gridstride::sim::wire {

/// An archive (packing.h) that makes values up: numbers near the ends of their range, small ones
/// that are handles, addresses of the device.
class RandomValues {
 public:
  /// `next`: the random numbers, of 64 bits. `material`: bytes that mean something (device code,
  /// arguments of a kernel), which stand in the place of half of all bytes, some with a byte changed.
  explicit RandomValues(std::function<std::uint64_t()> next,
                        std::vector<std::vector<std::byte>> material = {})
      : next_(std::move(next)), material_(std::move(material)) {}

  std::uint64_t number() {
    switch (next_() % 8) {
      case 0:
        return next_();
      case 1:
        return GlobalMemory::base + next_() % 5000;
      case 2:
        return ~std::uint64_t{0} - next_() % 3;
      case 3:
        return std::uint64_t{1} << next_() % 64;
      default:
        return next_() % 20;
    }
  }
  template <Plain T>
  void leaf(T& value) {
    if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(static_cast<std::int64_t>(number()));
    } else {
      value = static_cast<T>(number());
    }
  }
  void leaf(bool& value) { value = next_() % 2 == 1; }
  void leaf(std::string& text) {
    text.clear();
    for (std::size_t left = length(); left > 0; --left) text += static_cast<char>(next_());
  }
  void leaf(std::vector<std::byte>& bytes) {
    if (!material_.empty() && next_() % 2 == 0) {
      bytes = material_[next_() % material_.size()];
      if (!bytes.empty() && next_() % 2 == 0) {
        bytes[next_() * next_() % bytes.size()] = static_cast<std::byte>(next_());
      }
      return;
    }
    bytes.resize(length());
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(next_());
  }
  /// The bytes live as long as this archive.
  void leaf(std::span<const std::byte>& bytes) {
    leaf(storage_.emplace_back());
    bytes = storage_.back();
  }
  void leaf(ReplyBytes& wanted) { wanted.count = length(); }
  template <class T>
  requires travels_whole<T>
  void leaf(T& value) {
    for (std::byte& byte : std::as_writable_bytes(std::span<T, 1>(&value, 1))) {
      byte = static_cast<std::byte>(next_());
    }
  }
  template <class T>
  void length(std::vector<T>& values) {
    values.resize(next_() % 4);
  }
  template <class T>
  void presence(std::optional<T>& value) {
    if (next_() % 2 == 1) value.emplace();
  }

 private:
  std::size_t length() { return next_() % 40; }

  std::function<std::uint64_t()> next_;
  std::vector<std::vector<std::byte>> material_;
  std::deque<std::vector<std::byte>> storage_;
};

/// The caller of these promises as many bytes as the region has: no device is asked for less.
template <class Request>
constexpr bool trusts_its_caller = Request::number ==
                                       ClientRequests::number_of<&Device::write_region>() ||
                                   Request::number
                                       == ClientRequests::number_of<&Device::read_region>();

/// Arguments of `Request`, at random.
template <class Request>
typename Request::Held random_arguments(RandomValues& values) {
  typename Request::Held held{};
  std::apply([&](auto&... each) { (travel(values, each), ...); }, held);
  return held;
}

/// `values`, a tuple or any other that travels, as bytes.
template <class... Values>
std::vector<std::byte> bytes_of(const std::tuple<Values...>& values) {
  Writer writer;
  Out out{writer};
  std::apply([&](const auto&... each) { (travel(out, each), ...); }, values);
  return writer.take();
}

}  // namespace gridstride::sim::wire
