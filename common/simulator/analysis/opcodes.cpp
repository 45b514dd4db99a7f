// The columns of opcodes.def that analysis reads.
#include "common/simulator/analysis/opcodes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

namespace gridstride::sim {
namespace {

using namespace trait;  // the words of the rows

#define OPCODE(name_, decoder_, kind_, memory_, result_, ...) \
  {.name = name_,                                             \
   .kind = OpcodeKind::kind_,                                 \
   .memory = MemoryEffect::memory_,                           \
   .result = Result::result_,                                 \
   .traits = __VA_ARGS__},
constexpr Opcode rows[] = {
#include "common/simulator/analysis/opcodes.def"
};

// Names are looked up several times for each instruction of a module, so that is a table of hashes
// which the compiler fills: open addressing with linear probing, at most a quarter full.
constexpr std::uint8_t empty = 0xff;
constexpr std::size_t slots = 512;
static_assert(std::size(rows) < empty && 4 * std::size(rows) <= slots);

/// Four characters and the length tell most opcodes apart. The factors are those of a few thousand
/// random sets of primes that left the fewest names beside their slot; new names may add some.
constexpr std::size_t slot_of(std::string_view name) {
  const std::size_t length = name.size();
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(name[i]); };
  return (at(0) * 103u + at(length / 3) * 107u + at(length / 2) * 61u + at(length - 1) * 11u +
          length * 29u) %
         slots;
}

constexpr auto by_name = [] {
  std::array<std::uint8_t, slots> table;
  table.fill(empty);
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    std::size_t slot = slot_of(rows[i].name);
    while (table[slot] != empty) slot = (slot + 1) % slots;
    table[slot] = static_cast<std::uint8_t>(i);
  }
  return table;
}();

}  // namespace

std::span<const Opcode> opcodes() { return rows; }

const Opcode* find_opcode(std::string_view name) {
  if (name.empty()) return nullptr;
  for (std::size_t slot = slot_of(name); by_name[slot] != empty; slot = (slot + 1) % slots) {
    const Opcode& row = rows[by_name[slot]];
    if (row.name == name) return &row;
  }
  return nullptr;
}

bool has_trait(const ptx::Instruction& instruction, trait::Trait which) {
  const Opcode* row = find_opcode(instruction.opcode);
  return row && (row->traits & which) != 0;
}

}  // namespace gridstride::sim
