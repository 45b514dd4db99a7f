// Values: their parts, as numbers, and as text.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/base/half.h"
#include "common/simulator/debugger/inspector.h"

namespace gridstride::sim {
namespace {

using Kind = TraceType::Kind;

/// Of a larger object the beginning is shown.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 16;

/// Equal neighbours, from so many on, are said once.
constexpr std::uint64_t repeats = 10;

std::uint64_t bits_of(const RecordedBytes& bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.values.data(), std::min(bytes.values.size(), sizeof bits));
  return bits;
}

RecordedBytes part_of(const RecordedBytes& bytes, std::uint64_t begin, std::uint64_t count) {
  RecordedBytes part;
  for (std::uint64_t i = begin; i < begin + count; ++i) {
    const bool inside = i < bytes.values.size();
    part.values.push_back(inside ? bytes.values[i] : 0);
    part.known.push_back(inside && bytes.known[i]);
  }
  return part;
}

std::int64_t sign_extended(std::uint64_t bits, std::uint64_t bytes) {
  const auto unused = static_cast<unsigned>(64 - 8 * std::clamp<std::uint64_t>(bytes, 1, 8));
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

double floating_of(std::uint64_t bits, std::uint64_t bytes) {
  if (bytes == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (bytes == 2) return to_float(lanes::Half{static_cast<std::uint16_t>(bits)});
  return std::bit_cast<double>(bits);
}

std::string character_text(std::int64_t code) {
  if (code >= ' ' && code < 127) return fmt::format("{} '{}'", code, static_cast<char>(code));
  return fmt::format("{}", code);
}

bool is_reference(const TraceType& type) {
  return type.kind == Kind::pointer && type.name.ends_with('&');
}

}  // namespace

std::string text_of(const Dim3& index) {
  return fmt::format("({},{},{})", index.x, index.y, index.z);
}

RecordedBytes Inspector::read(const Value& value, std::uint64_t bytes, const Moment& moment) const {
  if (value.where) return memory_.bytes(*value.where, bytes, moment.position);
  return part_of({value.bytes, std::vector<bool>(value.bytes.size(), true)}, 0, bytes);
}

Value Inspector::followed(Value value, const Moment& moment) const {
  if (!is_reference(type(value)) || !value.missing.empty()) return value;
  Value to = target(value, 0, moment);
  to.name = std::move(value.name);
  return to;
}

std::optional<Number> Inspector::number(const Value& value, const Moment& moment) const {
  const TraceType& of = type(value);
  if (!value.missing.empty() || !is_number(of)) return std::nullopt;
  const RecordedBytes bytes = read(value, of.bytes, moment);
  if (!bytes.all_known()) return std::nullopt;
  const std::uint64_t bits = bits_of(bytes);
  if (of.kind == Kind::floating)
    return Number{.is_floating = true, .floating = floating_of(bits, of.bytes)};
  const bool is_signed = of.kind == Kind::signed_integer || of.kind == Kind::character;
  return Number{.integer =
                    is_signed ? sign_extended(bits, of.bytes) : static_cast<std::int64_t>(bits)};
}

Value Inspector::made_of(const Number& number, std::string name) const {
  const std::uint64_t bits = number.is_floating ? std::bit_cast<std::uint64_t>(number.floating)
                                                : static_cast<std::uint64_t>(number.integer);
  Value value{.name = std::move(name), .type = number.is_floating ? double_ : long_};
  value.bytes.resize(sizeof bits);
  std::memcpy(value.bytes.data(), &bits, sizeof bits);
  return value;
}

Value Inspector::target(const Value& pointer, std::int64_t offset, const Moment& moment) const {
  const TraceType& of = type(pointer);
  Value value{.name = "*" + pointer.name, .type = of.element};
  const auto address = number(pointer, moment);
  if (!address) {
    value.missing = pointer.missing.empty() ? "the pointer is not known" : pointer.missing;
    return value;
  }
  if (types_[of.element].bytes == 0) {
    value.missing = "of a type that is not known";
    return value;
  }
  if (address->integer == 0) {
    value.missing = "a null pointer";
    return value;
  }
  const auto stride = static_cast<std::int64_t>(types_[of.element].bytes);
  value.where = place_of(static_cast<std::uint64_t>(address->integer + offset * stride), moment);
  return value;
}

std::uint64_t Inspector::children(const Value& value, const Moment& moment) const {
  if (!value.missing.empty()) return 0;
  const TraceType& of = type(value);
  switch (of.kind) {
    case Kind::array:
      return of.count;
    case Kind::structure:
      return of.members.size();
    case Kind::pointer:
      return target(value, 0, moment).missing.empty() ? 1 : 0;
    default:
      return 0;
  }
}

Value Inspector::child(const Value& value, std::uint64_t index, const Moment& moment) const {
  const TraceType& of = type(value);
  if (of.kind == Kind::pointer) return target(value, 0, moment);
  Value part;
  std::uint64_t offset = 0;
  if (of.kind == Kind::array) {
    part.name = fmt::format("[{}]", index);
    part.type = of.element;
    offset = index * types_[of.element].bytes;
  } else {
    const TraceType::Member& member = of.members.at(index);
    part.name = member.name;
    part.type = member.type;
    offset = member.offset;
  }
  part.missing = value.missing;
  if (value.where) {
    part.where = value.where;
    part.where->place += offset;
  } else {
    part.bytes = part_of({value.bytes, std::vector<bool>(value.bytes.size(), true)}, offset,
                         types_[part.type].bytes)
                     .values;
  }
  return part;
}

std::string Inspector::pointer_text(std::uint64_t address, const Moment& moment) const {
  if (address == 0) return "null";
  const MemoryPlace at = place_of(address, moment);
  const std::string plain = fmt::format("{:#x}", address);
  const NamedArray* const array = playback_.array_at(at.space, at.owner, at.place);
  // One past the end is a pointer into it still.
  if (!array || at.place - array->begin > array->bytes) return plain;
  const std::uint64_t offset = at.place - array->begin;
  if (offset == 0) return array->name + " (" + plain + ")";
  if (offset % array->type.bytes != 0)
    return fmt::format("{} and {} bytes ({})", array->name, offset, plain);
  if (array->extents.empty())
    return fmt::format("{} + {} ({})", array->name, offset / array->type.bytes, plain);
  return "&" + playback_.label(at.space, at.owner, at.place) + " (" + plain + ")";
}

std::string Inspector::scalar_text(const TraceType& of, const RecordedBytes& bytes,
                                   const Moment& moment) const {
  if (!bytes.all_known()) return "?";
  const std::uint64_t bits = bits_of(bytes);
  switch (of.kind) {
    case Kind::floating:
      if (of.bytes == 8) return fmt::format("{:.12g}", floating_of(bits, of.bytes));
      if (of.bytes == 4) return fmt::format("{:.7g}", floating_of(bits, of.bytes));
      return of.bytes == 2 ? fmt::format("{:.4g}", floating_of(bits, of.bytes)) : "?";
    case Kind::boolean:
      return bits != 0 ? "true" : "false";
    case Kind::character:
      return character_text(sign_extended(bits, of.bytes));
    case Kind::signed_integer:
      return std::to_string(sign_extended(bits, of.bytes));
    case Kind::unsigned_integer:
      return std::to_string(bits);
    case Kind::pointer:
      return pointer_text(bits, moment);
    default: {
      std::string text = "bytes";
      for (const std::uint8_t byte : bytes.values) text += fmt::format(" {:02x}", byte);
      return text;
    }
  }
}

std::string Inspector::text_of(std::int32_t number, const RecordedBytes& bytes,
                               const Moment& moment, std::size_t& left) const {
  const TraceType& of = types_[number];
  if (of.kind == Kind::structure) {
    std::string text;
    for (const TraceType::Member& member : of.members) {
      const std::uint64_t size = types_[member.type].bytes;
      text += (text.empty() ? "" : ", ") + member.name + " = " +
              text_of(member.type, part_of(bytes, member.offset, size), moment, left);
    }
    return "{" + text + "}";
  }
  if (of.kind != Kind::array) return scalar_text(of, bytes, moment);
  const std::uint64_t size = types_[of.element].bytes;
  std::string text;
  for (std::uint64_t i = 0; i < of.count;) {
    if (left == 0 || (i + 1) * size > bytes.values.size())
      return "{" + text + (text.empty() ? "…}" : ", …}");
    --left;
    const std::string one = text_of(of.element, part_of(bytes, i * size, size), moment, left);
    std::uint64_t same = 1;
    std::size_t spared = left;
    while (i + same < of.count && (i + same + 1) * size <= bytes.values.size() &&
           text_of(of.element, part_of(bytes, (i + same) * size, size), moment, spared) == one)
      ++same;
    const bool together = same >= repeats;
    text += (text.empty() ? "" : ", ") + one +
            (together ? fmt::format(" <{} times>", same) : std::string());
    i += together ? same : 1;
  }
  return "{" + text + "}";
}

std::string Inspector::text(const Value& value, const Moment& moment,
                            std::size_t most_elements) const {
  if (!value.missing.empty()) return value.missing;
  const TraceType& of = type(value);
  if (of.bytes == 0) return "of a type that is not known";
  const RecordedBytes bytes = read(value, std::min(of.bytes, most_bytes), moment);
  if (std::ranges::none_of(bytes.known, [](bool one) { return one; })) {
    const bool has_neighbours = value.where && value.where->space != TraceSpace::local;
    return "not recorded" +
           (has_neighbours
                ? playback_.beyond(value.where->space, value.where->owner, value.where->place)
                : std::string());
  }
  std::size_t left = most_elements;
  return text_of(value.type, bytes, moment, left);
}

}  // namespace gridstride::sim
