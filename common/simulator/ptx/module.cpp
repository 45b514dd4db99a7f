// Names of types and state spaces, and how an instruction is called in messages.
#include "common/simulator/ptx/module.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gridstride::sim::ptx {

namespace {

struct TypeRow {
  std::string_view name;
  std::size_t bytes;
};

/// In the order of the enumeration.
constexpr std::array<TypeRow, 24> types{{
    {"none", 0},   {"pred", 0}, {"b8", 1},  {"b16", 2}, {"b32", 4},    {"b64", 8},
    {"b128", 16},  {"u8", 1},   {"u16", 2}, {"u32", 4}, {"u64", 8},    {"s8", 1},
    {"s16", 2},    {"s32", 4},  {"s64", 8}, {"f16", 2}, {"f16x2", 4},  {"bf16", 2},
    {"bf16x2", 4}, {"tf32", 4}, {"f32", 4}, {"f64", 8}, {"e4m3x2", 2}, {"e5m2x2", 2},
}};
static_assert(types.size() == static_cast<std::size_t>(Type::e5m2x2) + 1);

}  // namespace

std::size_t size_of(Type type) { return types.at(static_cast<std::size_t>(type)).bytes; }

const char* name_of(Type type) { return types.at(static_cast<std::size_t>(type)).name.data(); }

Type type_named(std::string_view name) {
  for (std::size_t i = 1; i < types.size(); ++i)
    if (name == types[i].name) return static_cast<Type>(i);
  return Type::none;
}

const char* name_of(Space space) {
  constexpr std::array<const char*, 6> names{"generic", "global", "shared",
                                             "const",   "local",  "param"};
  return names.at(static_cast<std::size_t>(space));
}

std::string Instruction::full_name() const {
  std::string name = opcode;
  for (const std::string& modifier : modifiers) name += '.' + modifier;
  return name;
}

std::uint32_t innermost_line_in(std::uint32_t file, InlinedCall place,
                                const std::vector<InlinedCall>& calls) {
  while (place.file != file) {
    if (place.call == 0 || place.call > calls.size()) return 0;
    place = calls[place.call - 1];
  }
  return place.line;
}

}  // namespace gridstride::sim::ptx
