// Of tests: device code as a program would bring it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/simulator/device/wire.h"

namespace gridstride::sim {

inline std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span<const char>(text));
  return {bytes.begin(), bytes.end()};
}

/// A fat binary with one PTX entry, stored plain. Layout: fatbin/fatbin.cpp.
inline std::vector<std::byte> container_of(const std::string& ptx,
                                           std::uint32_t architecture = 75) {
  constexpr std::uint32_t entry_header_bytes = 64;
  wire::Writer writer;
  writer.put(std::uint32_t{0xBA55ED50});
  writer.put(std::uint16_t{1});
  writer.put(std::uint16_t{16});
  writer.put(std::uint64_t{entry_header_bytes + ptx.size()});
  writer.put(std::uint16_t{1});  // PTX
  writer.put(std::uint16_t{0x101});
  writer.put(entry_header_bytes);
  writer.put(std::uint64_t{ptx.size()});
  writer.put(std::uint64_t{0});
  writer.put(std::uint32_t{0x00090000});
  writer.put(architecture);
  for (int i = 0; i < 4; ++i) writer.put(std::uint64_t{0});
  std::vector<std::byte> container = writer.take();
  const auto text = bytes_of(ptx);
  container.insert(container.end(), text.begin(), text.end());
  return container;
}

}  // namespace gridstride::sim
