// See the header.
#include "common/simulator/debug_info/entries.h"

#include <cstddef>
#include <map>
#include <utility>

#include "common/simulator/debug_info/cursor.h"

namespace gridstride::sim {
namespace {

/// DW_AT_…, chapter 7.5.4.
enum Attribute : std::uint64_t {
  at_location = 0x02,
  at_name = 0x03,
  at_byte_size = 0x0b,
  at_low_pc = 0x11,
  at_high_pc = 0x12,
  at_upper_bound = 0x2f,
  at_abstract_origin = 0x31,
  at_count = 0x37,
  at_data_member_location = 0x38,
  at_decl_line = 0x3b,
  at_encoding = 0x3e,
  at_specification = 0x47,
  at_type = 0x49,
  at_call_file = 0x58,
  at_call_line = 0x59,
};

/// DW_FORM_…, chapter 7.5.4.
enum Form : std::uint64_t {
  form_addr = 0x01,
  form_block2 = 0x03,
  form_block4 = 0x04,
  form_data2 = 0x05,
  form_data4 = 0x06,
  form_data8 = 0x07,
  form_string = 0x08,
  form_block = 0x09,
  form_block1 = 0x0a,
  form_data1 = 0x0b,
  form_flag = 0x0c,
  form_sdata = 0x0d,
  form_strp = 0x0e,
  form_udata = 0x0f,
  form_ref_addr = 0x10,
  form_ref1 = 0x11,
  form_ref2 = 0x12,
  form_ref4 = 0x13,
  form_ref8 = 0x14,
  form_ref_udata = 0x15,
  form_indirect = 0x16,
  form_sec_offset = 0x17,
  form_exprloc = 0x18,
  form_flag_present = 0x19,
};

struct Abbreviation {
  DwarfTag tag{};
  bool has_children = false;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> attributes;  ///< attribute, form
};

using Abbreviations = std::map<std::uint64_t, Abbreviation>;

Abbreviations read_abbreviations(Cursor cursor) {
  Abbreviations all;
  while (const std::uint64_t code = cursor.uleb()) {
    Abbreviation& one = all[code];
    one.tag = static_cast<DwarfTag>(cursor.uleb());
    one.has_children = cursor.number(1) != 0;
    one.attributes.clear();
    for (;;) {
      const std::uint64_t attribute = cursor.uleb(), form = cursor.uleb();
      if (attribute == 0 && form == 0) break;
      one.attributes.emplace_back(attribute, form);
    }
  }
  return all;
}

/// An attribute's value in the one of three shapes that its form has.
struct Value {
  std::uint64_t number = 0;
  std::string text;
  std::span<const std::uint8_t> block;
  bool is_block = false, is_address = false;
};

class Reader {
 public:
  explicit Reader(const DebugSections& sections) : sections_(sections), info_(sections.info) {}

  Entries read() {
    Entries entries;
    while (!info_.at_end()) unit(entries.units);
    for (const Entry& one : entries.units) note(one, entries.by_offset);
    return entries;
  }

 private:
  // Several times what large programs have, and little enough that no text takes the host's memory.
  static constexpr int deepest = 200;
  static constexpr std::size_t most_entries = std::size_t{1} << 18;

  void unit(std::vector<Entry>& units) {
    unit_ = info_.position();
    const std::uint64_t length = info_.number(4);
    const std::uint64_t version = info_.number(2);
    if (version < 2 || version > 4) throw BadDebugInfo("DWARF of a version that is not known");
    version_ = version;
    const std::uint64_t end = unit_ + 4 + length;
    abbreviations_ = read_abbreviations(Cursor(sections_.abbreviations, info_.number(4)));
    if (info_.number(1) != 8) throw BadDebugInfo("addresses that are not of 8 bytes");
    while (info_.position() < end) {
      if (auto one = read_entry(0)) units.push_back(std::move(*one));
    }
  }

  /// Nothing at the end of a list.
  std::optional<Entry> read_entry(int depth) {
    Entry entry;
    entry.offset = info_.position();
    const std::uint64_t code = info_.uleb();
    if (code == 0) return std::nullopt;
    const auto known = abbreviations_.find(code);
    if (known == abbreviations_.end() || depth > deepest || ++entries_ > most_entries)
      throw BadDebugInfo("an entry without an abbreviation, too deep, or too many of them");
    const Abbreviation& abbreviation = known->second;
    entry.tag = abbreviation.tag;
    for (const auto& [attribute, form] : abbreviation.attributes) set(entry, attribute, form);
    if (abbreviation.has_children) {
      while (auto child = read_entry(depth + 1)) entry.children.push_back(std::move(*child));
    }
    return entry;
  }

  void set(Entry& entry, std::uint64_t attribute, std::uint64_t form) {
    Value value = read(form, 0);
    switch (attribute) {
      case at_name:
        entry.name = std::move(value.text);
        break;
      case at_byte_size:
        entry.bytes = value.number;
        break;
      case at_encoding:
        entry.encoding = value.number;
        break;
      case at_decl_line:
        entry.line = value.number;
        break;
      case at_count:
        entry.count = value.number;
        break;
      case at_upper_bound:
        if (!value.is_block) entry.upper_bound = value.number;
        break;
      case at_low_pc:
        entry.low = value.number;
        break;
      case at_high_pc:
        // From version 4 on it may be a length.
        entry.high = value.is_address ? value.number : entry.low.value_or(0) + value.number;
        break;
      case at_type:
        entry.type = value.number;
        break;
      case at_call_file:
        entry.call_file = value.number;
        break;
      case at_call_line:
        entry.call_line = value.number;
        break;
      case at_abstract_origin:
      case at_specification:
        entry.origin = value.number;
        break;
      case at_data_member_location:
        entry.member_offset = value.is_block ? constant_of(value.block) : value.number;
        break;
      case at_location:
        if (value.is_block)
          entry.location = value.block;
        else
          entry.location_list = value.number;
        break;
      default:
        break;
    }
  }

  /// Of DW_OP_plus_uconst alone, as members have it.
  static std::uint64_t constant_of(std::span<const std::uint8_t> expression) {
    constexpr std::uint64_t plus_uconst = 0x23;
    Cursor cursor(expression);
    return !cursor.at_end() && cursor.number(1) == plus_uconst ? cursor.uleb() : 0;
  }

  Value read(std::uint64_t form, int depth) {
    Value value;
    const auto block = [&](std::uint64_t bytes) {
      value.block = info_.block(bytes);
      value.is_block = true;
    };
    switch (form) {
      case form_addr:
        value.number = info_.number(8);
        value.is_address = true;
        break;
      case form_data1:
      case form_flag:
        value.number = info_.number(1);
        break;
      case form_ref1:
        value.number = unit_ + info_.number(1);
        break;
      case form_data2:
        value.number = info_.number(2);
        break;
      case form_ref2:
        value.number = unit_ + info_.number(2);
        break;
      case form_data4:
      case form_sec_offset:
        value.number = info_.number(4);
        break;
      case form_ref4:
        value.number = unit_ + info_.number(4);
        break;
      case form_data8:
        value.number = info_.number(8);
        break;
      case form_ref8:
        value.number = unit_ + info_.number(8);
        break;
      case form_ref_addr:
        value.number = info_.number(version_ == 2 ? 8 : 4);
        break;
      case form_ref_udata:
        value.number = unit_ + info_.uleb();
        break;
      case form_sdata:
        value.number = static_cast<std::uint64_t>(info_.sleb());
        break;
      case form_udata:
        value.number = info_.uleb();
        break;
      case form_string:
        value.text = info_.text();
        break;
      case form_strp:
        value.text = Cursor(sections_.strings, info_.number(4)).text();
        break;
      case form_block1:
        block(info_.number(1));
        break;
      case form_block2:
        block(info_.number(2));
        break;
      case form_block4:
        block(info_.number(4));
        break;
      case form_block:
      case form_exprloc:
        block(info_.uleb());
        break;
      case form_flag_present:
        value.number = 1;
        break;
      case form_indirect:
        if (depth > 0) throw BadDebugInfo("a form within a form within a form");
        return read(info_.uleb(), depth + 1);
      default:
        throw BadDebugInfo("a form that is not known");
    }
    return value;
  }

  static void note(const Entry& entry, std::unordered_map<std::uint64_t, const Entry*>& all) {
    all.emplace(entry.offset, &entry);
    for (const Entry& child : entry.children) note(child, all);
  }

  const DebugSections& sections_;
  Cursor info_;
  std::uint64_t unit_ = 0, version_ = 2;
  std::size_t entries_ = 0;
  Abbreviations abbreviations_;
};

}  // namespace

Entries read_entries(const DebugSections& sections) { return Reader(sections).read(); }

}  // namespace gridstride::sim
