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

/// A fat binary with one PTX entry, stored plain. Layout: fatbin/fatbin.cpp. NVIDIA's driver wants
/// more of it than the simulated GPU does: flags, (no) options, text that ends with a NUL. It crashes
/// otherwise.
inline std::vector<std::byte> container_of(std::string ptx, std::uint32_t architecture = 75) {
  constexpr std::uint32_t entry_header_bytes = 80, options_at = 64;
  constexpr std::uint64_t for_64_bits_on_linux = 0x11;
  ptx.resize(ptx.size() / 8 * 8 + 8, '\0');
  wire::Writer writer;
  writer.put(std::uint32_t{0xBA55ED50});
  writer.put(std::uint16_t{1});
  writer.put(std::uint16_t{16});
  writer.put(std::uint64_t{entry_header_bytes + ptx.size()});
  writer.put(std::uint16_t{1});  // PTX
  writer.put(std::uint16_t{0x101});
  writer.put(entry_header_bytes);
  writer.put(std::uint64_t{ptx.size()});
  writer.put(std::uint32_t{0});
  writer.put(options_at);
  writer.put(std::uint32_t{0x00090000});
  writer.put(architecture);
  writer.put(std::uint64_t{0});
  writer.put(for_64_bits_on_linux);
  for (int i = 0; i < 2; ++i) writer.put(std::uint64_t{0});
  writer.put(std::uint64_t{options_at + 8});
  writer.put(std::uint64_t{0});
  std::vector<std::byte> container = writer.take();
  const auto text = bytes_of(ptx);
  container.insert(container.end(), text.begin(), text.end());
  return container;
}

}  // namespace gridstride::sim
