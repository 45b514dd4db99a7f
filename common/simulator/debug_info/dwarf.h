// Reads DWARF, the debug information that nvcc -G writes into PTX as sections. It is read here and not
// by libdw because that reads ELF files; versions 2 to 4, which differ in nothing that is needed.
// Source: DWARF Debugging Information Format, version 4, chapters 2, 3, 5 and 7.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/debug_info/debug_info.h"

namespace gridstride::sim {

/// Sections of one module. An address, of 8 bytes, is code_address() or symbol_base plus a number in
/// `symbols`.
struct DebugSections {
  static constexpr std::uint64_t symbol_base = std::uint64_t{1} << 62;
  /// Never 0, which ends lists of locations.
  static constexpr std::uint64_t code_address(std::uint32_t function, std::uint32_t instruction) {
    return (std::uint64_t{function} + 1) << 32 | instruction;
  }

  std::vector<std::uint8_t> info, abbreviations, locations, strings;
  std::vector<std::string> symbols;  ///< variables and parameters by their PTX names
};

/// Empty where the sections do not follow the format: a program runs without debug information too.
/// Never reads beyond them, whatever they hold.
DebugInfo read_dwarf(const DebugSections& sections);

}  // namespace gridstride::sim
