// Follows a register back through copies, masks, shifts by whole bytes and insertions of bit-fields, to
// the loads that its bytes come from.
#include "common/simulator/analysis/stored_bytes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gridstride::sim {
namespace {

using Kind = ptx::Operand::Kind;
using From = ByteSource::From;
using Bytes = StoredBytes::Bytes;

/// Instructions in a row that are looked through: enough for four words made of single bits.
constexpr std::uint32_t deepest = 256;
constexpr std::uint64_t every_bit = ~std::uint64_t{0};

constexpr ByteSource zero{From::zero, 0, 0}, parts{From::parts, 0, 0};

/// Bytes of the last type that is named; 0 when that is no integer, float or bit type.
std::size_t width_of(const ptx::Instruction& instruction) {
  return instruction.modifiers.empty()
             ? 0
             : ptx::size_of(ptx::type_named(instruction.modifiers.back()));
}

bool is_immediate(const ptx::Instruction& instruction, std::size_t operand) {
  return operand < instruction.operands.size() &&
         instruction.operands[operand].kind == Kind::immediate &&
         !instruction.operands[operand].is_float;
}

Bytes masked(Bytes bytes, std::uint64_t mask) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::uint64_t kept = mask >> 8 * i & 0xff;
    if (kept == 0) bytes[i] = zero;
    const bool cut = kept != 0 && kept != 0xff;
    if (cut && bytes[i].from == From::load) bytes[i] = parts;
  }
  return bytes;
}

ByteSource either(const ByteSource& a, const ByteSource& b) {
  if (a.from == From::zero) return b;
  if (b.from == From::zero) return a;
  return a.from == From::parts || b.from == From::parts ? parts : ByteSource{};
}

/// Something computed of which no other bits than `possible` are ever set.
Bytes computed(std::uint64_t possible) {
  Bytes result;
  for (std::size_t i = 0; i < result.size(); ++i)
    if ((possible >> 8 * i & 0xff) == 0) result[i] = zero;
  return result;
}

/// By whole bytes, up or down; zeros come in.
Bytes moved(const Bytes& bytes, std::size_t by, bool up, std::size_t width) {
  Bytes result;
  result.fill(zero);
  for (std::size_t i = by; i < width; ++i) {
    if (up)
      result[i] = bytes[i - by];
    else
      result[i - by] = bytes[i];
  }
  return result;
}

/// bfi: `length` bits of `field` from bit `at` of `base` on.
Bytes inserted(const Bytes& field, const Bytes& base, std::uint64_t at, std::uint64_t length) {
  Bytes result = base;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::uint64_t first = 8 * i, last = 8 * i + 8;
    if (at >= last || at + length <= first) continue;
    const bool whole = at <= first && at + length >= last;
    if (!whole)
      result[i] = base[i].from == From::load || base[i].from == From::parts ? parts : ByteSource{};
    else
      result[i] = at % 8 == 0 ? field[i - at / 8] : ByteSource{};
  }
  return result;
}

/// prmt without a mode: each hexadecimal digit of `selector` picks a byte of `low` or of `high`.
Bytes permuted(const Bytes& low, const Bytes& high, std::uint64_t selector) {
  Bytes result;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::uint64_t digit = selector >> 4 * i & 0xf;
    if (digit < 8) result[i] = digit < 4 ? low[digit] : high[digit - 4];
  }
  return result;
}

Bytes converted(const ptx::Instruction& instruction, const Bytes& source) {
  Bytes result;
  if (instruction.modifiers.size() != 2) return result;
  const std::string &to = instruction.modifiers[0], &from = instruction.modifiers[1];
  const auto is_integer = [](const std::string& type) {
    return type.starts_with('u') || type.starts_with('s') || type.starts_with('b');
  };
  if (!is_integer(to) || !is_integer(from)) return result;
  const std::size_t kept =
      std::min(ptx::size_of(ptx::type_named(to)), ptx::size_of(ptx::type_named(from)));
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = i < kept ? source[i] : from.starts_with('s') ? ByteSource{} : zero;
  return result;
}

}  // namespace

StoredBytes::StoredBytes(const ptx::Function& function)
    : function_(function),
      definitions_(function),
      states_(function.registers.size(), State::open),
      known_(function.registers.size()) {}

Bytes StoredBytes::of_register(std::int32_t index) {
  const auto i = static_cast<std::size_t>(index);
  if (i >= states_.size() || states_[i] == State::being_looked_at || depth_ == deepest) return {};
  if (states_[i] == State::open) {
    states_[i] = State::being_looked_at;
    ++depth_;
    const ptx::Instruction* const made = definitions_.of(index);
    if (made != nullptr) known_[i] = made_by(*made, index);
    --depth_;
    states_[i] = State::known;
  }
  return known_[i];
}

Bytes StoredBytes::of_operand(const ptx::Operand& operand) {
  if (operand.kind == Kind::reg && !operand.negate) return of_register(operand.index);
  Bytes bytes;
  if (operand.kind != Kind::immediate) return bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if ((operand.bits >> 8 * i & 0xff) == 0) bytes[i] = zero;
  return bytes;
}

Bytes StoredBytes::made_by(const ptx::Instruction& instruction, std::int32_t index) {
  const auto& operands = instruction.operands;
  const std::string& opcode = instruction.opcode;
  const std::size_t width = width_of(instruction);
  if (width == 0 || width > 8 || operands.size() < 2) return {};
  if (opcode == "ld") {
    Bytes bytes;
    const auto fill = [&](std::size_t first) {
      const bool copies_sign = instruction.modifiers.back().starts_with('s');
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i < width)
          bytes[i] = {From::load, static_cast<std::uint8_t>(first + i),
                      static_cast<std::size_t>(&instruction - function_.body.data())};
        else if (!copies_sign)
          bytes[i] = zero;
      }
    };
    if (operands[0].kind == Kind::reg) fill(0);
    for (std::size_t k = 0; k < operands[0].elements.size(); ++k)
      if (operands[0].elements[k].index == index) fill(k * width);
    return bytes;
  }
  if (opcode == "mov" && operands[1].kind == Kind::vector) {  // packs
    Bytes bytes;
    const std::size_t count = operands[1].elements.size(),
                      each = width / std::max<std::size_t>(count, 1);
    for (std::size_t i = 0; i < each * count && i < bytes.size(); ++i)
      bytes[i] = of_operand(operands[1].elements[i / each])[i % each];
    return bytes;
  }
  if (opcode == "mov" && operands[0].kind == Kind::vector) {  // unpacks
    const std::size_t count = operands[0].elements.size(),
                      each = width / std::max<std::size_t>(count, 1);
    const Bytes source = of_operand(operands[1]);
    for (std::size_t k = 0; k < count; ++k)
      if (operands[0].elements[k].index == index)
        return moved(source, k * each, false, k * each + each);
    return {};
  }
  if (operands[0].kind != Kind::reg) return {};
  if (opcode == "mov" && operands[1].kind == Kind::reg) return of_operand(operands[1]);
  if (opcode == "cvt") return converted(instruction, of_operand(operands[1]));
  if (opcode == "and" && is_immediate(instruction, 2))
    return masked(of_operand(operands[1]), operands[2].bits);
  if (opcode == "or" && operands.size() == 3) {
    Bytes a = of_operand(operands[1]);
    const Bytes b = of_operand(operands[2]);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = either(a[i], b[i]);
    return a;
  }
  if ((opcode == "shl" || (opcode == "shr" && !instruction.modifiers.back().starts_with('s'))) &&
      is_immediate(instruction, 2) && operands[2].bits % 8 == 0 && operands[2].bits < 8 * width)
    return moved(of_operand(operands[1]), operands[2].bits / 8, opcode == "shl", width);
  if (opcode == "bfi" && is_immediate(instruction, 3) && is_immediate(instruction, 4))
    return inserted(of_operand(operands[1]), of_operand(operands[2]), operands[3].bits & 0xff,
                    operands[4].bits & 0xff);
  if (opcode == "prmt" && instruction.modifiers.size() == 1 && is_immediate(instruction, 3))
    return permuted(of_operand(operands[1]), of_operand(operands[2]), operands[3].bits);
  return computed(possible_bits(instruction, 0));
}

std::uint64_t StoredBytes::possible_bits(const ptx::Operand& operand, std::uint32_t depth) const {
  constexpr std::uint32_t deepest_bits = 16;  // of masks and shifts that pack one field
  if (operand.kind == Kind::immediate) return operand.is_float ? every_bit : operand.bits;
  if (operand.kind != Kind::reg || operand.negate || depth == deepest_bits) return every_bit;
  const ptx::Instruction* const made = definitions_.of(operand.index);
  return made != nullptr ? possible_bits(*made, depth + 1) : every_bit;
}

std::uint64_t StoredBytes::possible_bits(const ptx::Instruction& made, std::uint32_t depth) const {
  const std::size_t width = width_of(made);
  const std::size_t count = made.operands.size();
  if (width == 0 || width > 8 || count < 2 || made.operands[0].kind != Kind::reg) return every_bit;
  const std::uint64_t of_width = width == 8 ? every_bit : (std::uint64_t{1} << 8 * width) - 1;
  const auto of = [&](std::size_t i) { return possible_bits(made.operands[i], depth) & of_width; };
  const bool is_signed = made.modifiers.back().starts_with('s');
  if (made.opcode == "mov") return of(1);
  if (made.opcode == "cvt" && made.modifiers.size() == 2 && !is_signed) return of(1);
  if (made.opcode == "ld" && !is_signed) return of_width;
  if (count != 3) return every_bit;
  if (made.opcode == "and") return of(1) & of(2);
  if (made.opcode == "or") return of(1) | of(2);
  if (!is_immediate(made, 2) || made.operands[2].bits >= 8 * width) return every_bit;
  if (made.opcode == "shl") return of(1) << made.operands[2].bits & of_width;
  if (made.opcode == "shr" && !is_signed) return of(1) >> made.operands[2].bits;
  return every_bit;
}

std::vector<ByteSource> StoredBytes::of_store(const ptx::Instruction& store) {
  std::vector<ByteSource> all;
  const std::size_t width = width_of(store);
  if (store.opcode != "st" || store.has("param") || store.operands.size() < 2 || width > 8)
    return all;
  const auto add = [&](const ptx::Operand& operand) {
    const Bytes bytes = of_operand(operand);
    all.insert(all.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(width));
  };
  const ptx::Operand& value = store.operands[1];
  if (value.kind != Kind::vector) add(value);
  for (const ptx::Operand& element : value.elements) add(element);
  return all;
}

}  // namespace gridstride::sim
