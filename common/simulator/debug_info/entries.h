// The tree of debugging information entries (DIEs) of all compilation units, each with those of its
// attributes that say something of variables and types.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/simulator/debug_info/dwarf.h"

namespace gridstride::sim {

/// DW_TAG_…, chapter 7.5.4; other ones are kept too, by number.
enum class DwarfTag : std::uint32_t {
  array_type = 0x01,
  class_type = 0x02,
  enumeration_type = 0x04,
  formal_parameter = 0x05,
  lexical_block = 0x0b,
  member = 0x0d,
  pointer_type = 0x0f,
  reference_type = 0x10,
  compile_unit = 0x11,
  structure_type = 0x13,
  typedef_type = 0x16,
  union_type = 0x17,
  inheritance = 0x1c,
  inlined_subroutine = 0x1d,
  subrange_type = 0x21,
  base_type = 0x24,
  const_type = 0x26,
  subprogram = 0x2e,
  variable = 0x34,
  volatile_type = 0x35,
  restrict_type = 0x37,
  rvalue_reference_type = 0x42,
};

struct Entry {
  DwarfTag tag{};
  std::uint64_t offset = 0;  ///< in .debug_info
  std::string name;
  std::uint64_t bytes = 0, encoding = 0, line = 0;
  std::optional<std::uint64_t> count, upper_bound;
  std::optional<std::uint64_t> low, high;  ///< addresses of code
  std::uint64_t type = 0, origin = 0;      ///< offsets of entries; 0: none
  std::uint64_t member_offset = 0;
  std::uint64_t call_file = 0, call_line = 0;  ///< of what was inlined
  std::optional<std::uint64_t> location_list;  ///< offset in .debug_loc
  std::span<const std::uint8_t> location;      ///< an expression
  std::vector<Entry> children;
};

struct Entries {
  std::vector<Entry> units;
  std::unordered_map<std::uint64_t, const Entry*> by_offset;
};

/// `sections` must outlive what it returns. Throws BadDebugInfo (cursor.h).
Entries read_entries(const DebugSections& sections);

}  // namespace gridstride::sim
