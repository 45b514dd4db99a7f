// From debugging information entries to the variables of each function and where they are.
#include "common/simulator/debug_info/dwarf.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "common/simulator/debug_info/cursor.h"
#include "common/simulator/debug_info/entries.h"
#include "common/simulator/debug_info/types.h"

namespace gridstride::sim {
namespace {

/// DW_OP_…, chapter 7.7.1.
constexpr std::uint64_t op_addr = 0x03, op_plus_uconst = 0x23, op_regx = 0x90;

/// nvcc writes a register as its PTX name, a letter a byte, the last one lowest.
std::string register_name(std::uint64_t number) {
  std::string name;
  for (; number != 0; number >>= 8) name += static_cast<char>(number & 0xff);
  std::ranges::reverse(name);
  return name;
}

struct Range {
  std::uint32_t begin = 0, end = 0;
};

class InfoReader {
 public:
  explicit InfoReader(const DebugSections& sections)
      : sections_(sections), entries_(read_entries(sections)), types_(entries_) {}

  DebugInfo read() {
    DebugInfo info;
    for (const Entry& unit : entries_.units) functions(unit, info);
    info.types = types_.finish();
    return info;
  }

 private:
  void functions(const Entry& parent, DebugInfo& info) {
    for (const Entry& child : parent.children) {
      const auto range = child.tag == DwarfTag::subprogram ? range_of(child) : std::nullopt;
      if (!range) {
        functions(child, info);  // those in namespaces
        continue;
      }
      DebugFunction function;
      function.function = static_cast<std::uint32_t>((*child.low >> 32) - 1);
      variables(child, *range, function);
      info.functions.push_back(std::move(function));
    }
  }

  /// Instructions of one function; nothing where the entry names no code or that of several.
  static std::optional<Range> range_of(const Entry& entry) {
    if (!entry.low || !entry.high || *entry.low >= DebugSections::symbol_base ||
        *entry.low < DebugSections::code_address(0, 0))
      return std::nullopt;
    const std::uint64_t low = *entry.low, high = *entry.high;
    if (low >> 32 != high >> 32 || low > high) return std::nullopt;
    return Range{static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high)};
  }

  void variables(const Entry& scope, const Range& range, DebugFunction& function) {
    for (const Entry& child : scope.children) {
      switch (child.tag) {
        case DwarfTag::formal_parameter:
        case DwarfTag::variable:
          function.variables.push_back(variable(child, range));
          break;
        case DwarfTag::inlined_subroutine:
          if (const auto inlined = range_of(child); inlined && child.call_line != 0) {
            function.inlined.push_back({inlined->begin, inlined->end,
                                        static_cast<std::uint32_t>(child.call_file),
                                        static_cast<std::uint32_t>(child.call_line)});
          }
          [[fallthrough]];
        case DwarfTag::lexical_block:
          variables(child, range_of(child).value_or(range), function);
          break;
        default:
          break;
      }
    }
  }

  /// What an inlined function's variable is called stands where the function is declared.
  const Entry& declaration_of(const Entry& entry) const {
    const auto origin = entries_.by_offset.find(entry.origin);
    return entry.origin != 0 && origin != entries_.by_offset.end() ? *origin->second : entry;
  }

  DebugVariable variable(const Entry& entry, const Range& range) {
    const Entry& declared = declaration_of(entry);
    DebugVariable variable;
    variable.name = entry.name.empty() ? declared.name : entry.name;
    variable.type = types_.number_of(entry.type != 0 ? entry.type : declared.type);
    variable.is_parameter = entry.tag == DwarfTag::formal_parameter;
    variable.line = static_cast<std::uint32_t>(entry.line != 0 ? entry.line : declared.line);
    variable.begin = range.begin;
    variable.end = range.end;
    if (!entry.location.empty()) {
      add_location(entry.location, range, variable);
    } else if (entry.location_list) {
      // An entry is begin, end, an expression; two zeros end the list. Chapter 2.6.2.
      Cursor list(sections_.locations, *entry.location_list);
      for (;;) {
        const std::uint64_t begin = list.number(8), end = list.number(8);
        if (begin == 0 && end == 0) break;
        const std::span<const std::uint8_t> expression = list.block(list.number(2));
        if (begin >> 32 == end >> 32)
          add_location(expression,
                       {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)},
                       variable);
      }
    }
    return variable;
  }

  void add_location(std::span<const std::uint8_t> expression, const Range& range,
                    DebugVariable& variable) const {
    Cursor cursor(expression);
    const std::uint64_t operation = cursor.number(1);
    DebugLocation location;
    location.begin = range.begin;
    location.end = range.end;
    if (operation == op_regx) {
      location.is_register = true;
      location.name = register_name(cursor.uleb());
    } else if (operation == op_addr) {
      const std::uint64_t symbol = cursor.number(8) - DebugSections::symbol_base;
      if (symbol >= sections_.symbols.size()) return;
      location.name = sections_.symbols[symbol];
      if (!cursor.at_end() && cursor.number(1) == op_plus_uconst) location.offset = cursor.uleb();
    }
    // Anything behind it would compute on; that is not known here.
    if (!location.name.empty() && cursor.at_end()) variable.locations.push_back(location);
  }

  const DebugSections& sections_;
  Entries entries_;
  TypeTable types_;
};

}  // namespace

DebugInfo read_dwarf(const DebugSections& sections) {
  try {
    return InfoReader(sections).read();
  } catch (const BadDebugInfo&) {
    return {};
  }
}

}  // namespace gridstride::sim
