// See the header.
#include "common/simulator/debug_info/types.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "common/text.h"

namespace gridstride::sim {
namespace {

using Kind = SourceType::Kind;

/// DW_ATE_…, chapter 7.8.
Kind kind_of(std::uint64_t encoding) {
  switch (encoding) {
    case 0x02:
      return Kind::boolean;
    case 0x04:
      return Kind::floating;
    case 0x05:
      return Kind::signed_integer;
    case 0x07:
      return Kind::unsigned_integer;
    case 0x06:
    case 0x08:
      return Kind::character;
    default:
      return Kind::other;
  }
}

/// 0 of an array whose length the declaration does not say.
std::uint64_t extent_of(const Entry& subrange) {
  if (subrange.count) return *subrange.count;
  // Of an array without a length nvcc says -1, in as many bytes as it likes.
  if (!subrange.upper_bound || static_cast<std::uint32_t>(*subrange.upper_bound) == 0xffff'ffff)
    return 0;
  return *subrange.upper_bound + 1;
}

}  // namespace

std::int32_t TypeTable::add(SourceType type) {
  types_.push_back(std::move(type));
  return static_cast<std::int32_t>(types_.size()) - 1;
}

std::int32_t TypeTable::number_of(std::uint64_t offset) {
  constexpr int deepest = 64;
  if (const auto known = numbers_.find(offset); known != numbers_.end()) return known->second;
  const auto entry = entries_.by_offset.find(offset);
  if (offset == 0 || entry == entries_.by_offset.end() || depth_ == deepest) return -1;
  const std::int32_t number = add({});
  numbers_[offset] = number;  // before its parts: a list's node points to such nodes
  ++depth_;
  fill(number, *entry->second);
  --depth_;
  return number;
}

void TypeTable::fill(std::int32_t number, const Entry& entry) {
  at(number).name = entry.name;
  at(number).bytes = entry.bytes;
  switch (entry.tag) {
    case DwarfTag::base_type:
      at(number).kind = kind_of(entry.encoding);
      break;
    case DwarfTag::enumeration_type:
      at(number).kind = Kind::unsigned_integer;
      break;
    case DwarfTag::pointer_type:
    case DwarfTag::reference_type:
    case DwarfTag::rvalue_reference_type: {
      const std::int32_t element = number_of(entry.type);
      at(number).kind = Kind::pointer;
      at(number).bytes = 8;
      at(number).element = element;
      names_[number] = {element, "",
                        entry.tag == DwarfTag::pointer_type     ? "*"
                        : entry.tag == DwarfTag::reference_type ? "&"
                                                                : "&&"};
      break;
    }
    case DwarfTag::const_type:
    case DwarfTag::volatile_type:
    case DwarfTag::restrict_type:
    case DwarfTag::typedef_type: {
      const std::int32_t target = number_of(entry.type);
      if (target >= 0) aliases_.emplace_back(number, target);
      if (entry.tag == DwarfTag::restrict_type) names_[number] = {target, "", ""};
      if (entry.tag == DwarfTag::const_type) names_[number] = {target, "const ", ""};
      if (entry.tag == DwarfTag::volatile_type) names_[number] = {target, "volatile ", ""};
      break;
    }
    case DwarfTag::array_type:
      fill_array(number, entry);
      break;
    case DwarfTag::class_type:
    case DwarfTag::structure_type:
    case DwarfTag::union_type:
      fill_structure(number, entry);
      break;
    default:
      break;
  }
}

/// int[4][9] is an array of 4 arrays of 9; inner ones get numbers of their own.
void TypeTable::fill_array(std::int32_t number, const Entry& entry) {
  std::int32_t element = number_of(entry.type);
  std::vector<std::uint64_t> extents;
  for (const Entry& child : entry.children) {
    if (child.tag == DwarfTag::subrange_type) extents.push_back(extent_of(child));
  }
  const std::int32_t innermost = element;
  std::string brackets;
  std::uint64_t bytes = element < 0 ? 0 : at(element).bytes;
  for (std::size_t i = extents.size(); i-- > 0;) {
    brackets = "[" + (extents[i] == 0 ? "" : std::to_string(extents[i])) + "]" + brackets;
    // No array of a device is larger; what overflows is none.
    constexpr std::uint64_t largest = std::uint64_t{1} << 48;
    bytes = extents[i] != 0 && bytes > largest / extents[i] ? 0 : bytes * extents[i];
    SourceType array;
    array.kind = Kind::array;
    array.bytes = bytes;
    array.element = element;
    array.count = extents[i];
    if (i == 0)
      at(number) = std::move(array);
    else
      element = add(std::move(array));
    names_[i == 0 ? number : element] = {innermost, "", brackets};
  }
}

void TypeTable::fill_structure(std::int32_t number, const Entry& entry) {
  at(number).kind = Kind::structure;
  if (entry.name.empty()) at(number).name = entry.tag == DwarfTag::union_type ? "union" : "struct";
  std::vector<SourceType::Member> members;
  for (const Entry& child : entry.children) {
    if (child.tag != DwarfTag::member && child.tag != DwarfTag::inheritance) continue;
    const std::int32_t type = number_of(child.type);
    const auto base = entries_.by_offset.find(child.type);
    const bool inherited = child.tag == DwarfTag::inheritance && base != entries_.by_offset.end();
    members.push_back({inherited ? base->second->name : child.name, child.member_offset, type});
  }
  at(number).members = std::move(members);
}

/// Made of the names of what it names, which is never itself: a name in the making is empty.
const std::string& TypeTable::name(std::int32_t number) {
  static const std::string nothing = "void";
  if (number < 0) return nothing;
  const auto made = names_.find(number);
  if (made != names_.end()) {
    const Name parts = std::move(made->second);
    names_.erase(made);
    // A copy of what is long already would let a chain of types grow without bound.
    constexpr std::size_t longest = 500;
    const std::string inner = shorten_middle(name(parts.of), longest);
    // "float* const", but "const float".
    at(number).name = !parts.before.empty() && inner.ends_with('*')
                          ? inner + " " + parts.before.substr(0, parts.before.size() - 1)
                          : parts.before + inner + parts.after;
  }
  return at(number).name;
}

std::vector<SourceType> TypeTable::finish() {
  for (std::size_t i = 0; i < types_.size(); ++i) name(static_cast<std::int32_t>(i));
  // What an alias stands for was met before it, if that is an alias too.
  for (const auto& [alias, target] : aliases_) {
    SourceType copy = at(target);
    copy.name = at(alias).name;
    at(alias) = std::move(copy);
  }
  return std::move(types_);
}

}  // namespace gridstride::sim
