// Debug information as bytes. What nvcc writes is tried where it is parsed (ptx/) and where programs
// run; here the format's other forms, and what no compiler writes.
#include "common/simulator/debug_info/dwarf.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gridstride::sim {
namespace {

class Bytes {
 public:
  Bytes& number(std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i)
      all.push_back(static_cast<std::uint8_t>(value >> 8 * i));
    return *this;
  }
  Bytes& byte(std::uint64_t value) { return number(value, 1); }
  Bytes& bytes(const std::vector<std::uint8_t>& more) {
    all.insert(all.end(), more.begin(), more.end());
    return *this;
  }
  Bytes& text(std::string_view words) {
    for (const char c : words) byte(static_cast<std::uint8_t>(c));
    return byte(0);
  }
  std::vector<std::uint8_t> all;
};

/// One abbreviation: code, tag, whether it has children, pairs of attribute and form.
void abbreviate(Bytes& to, std::uint8_t code, std::uint8_t tag, bool children,
                const std::vector<std::uint8_t>& pairs) {
  to.byte(code).byte(tag).byte(children ? 1 : 0).bytes(pairs).byte(0).byte(0);
}

/// void f(int n) { { int* p; } }: instructions 0 to 20 of function 3; n is in %r1, p in %rd12 from 5 to
/// 9, then in the symbol `depot` at 8.
DebugSections example(std::uint16_t version = 4) {
  DebugSections sections;
  Bytes abbreviations;
  abbreviate(abbreviations, 1, 0x11, true, {});                                     // compile unit
  abbreviate(abbreviations, 2, 0x24, false, {0x03, 0x0e, 0x0b, 0x0b, 0x3e, 0x0b});  // base type
  abbreviate(abbreviations, 3, 0x0f, false, {0x49, 0x13});                          // pointer
  abbreviate(abbreviations, 4, 0x2e, true, {0x11, 0x01, 0x12, 0x06});  // function: a length
  abbreviate(abbreviations, 5, 0x05, false,
             {0x03, 0x08, 0x3a, 0x0b, 0x3b, 0x0b, 0x49, 0x13, 0x02, 0x18});  // parameter: exprloc
  abbreviate(abbreviations, 6, 0x0b, true, {0x11, 0x01, 0x12, 0x01});        // block
  abbreviate(abbreviations, 7, 0x34, false,
             {0x03, 0x08, 0x3b, 0x0f, 0x49, 0x11, 0x02, 0x17});  // variable: a list
  abbreviations.byte(0);
  sections.abbreviations = abbreviations.all;
  sections.strings = Bytes().text("no").text("int").all;

  constexpr std::uint64_t r1 = 0x257231;  // "%r1"
  Bytes expression;
  expression.byte(0x90).byte((r1 & 127) | 128).byte((r1 >> 7 & 127) | 128);
  expression.byte((r1 >> 14 & 127) | 128).byte(r1 >> 21);
  Bytes info;
  info.number(version, 2).number(0, 4).byte(8);  // behind the length
  const auto offset = [&] { return info.all.size() + 4; };
  info.byte(1);
  const std::size_t type = offset();
  info.byte(2).number(3, 4).byte(4).byte(5);
  const std::size_t pointer = offset();
  info.byte(3).number(type, 4);
  info.byte(4).number(DebugSections::code_address(3, 0), 8).number(20, 4);
  info.byte(5).text("n").byte(1).byte(7).number(type, 4).byte(expression.all.size());
  info.bytes(expression.all);
  info.byte(6).number(DebugSections::code_address(3, 5), 8);
  info.number(DebugSections::code_address(3, 15), 8);
  info.byte(7).text("p").byte(0x88).byte(0x01).byte(pointer).number(4, 4);
  info.byte(0).byte(0).byte(0);
  sections.info = Bytes().number(info.all.size(), 4).bytes(info.all).all;

  Bytes locations;
  locations.number(0xdead, 4);
  locations.number(DebugSections::code_address(3, 5), 8)
      .number(DebugSections::code_address(3, 9), 8);
  Bytes in_register;  // "%rd12" is five letters, 40 bits: six groups of seven
  constexpr std::uint64_t rd12 = 0x25'7264'3132;
  in_register.byte(0x90);
  for (int shift = 0; shift < 35; shift += 7) in_register.byte((rd12 >> shift & 127) | 128);
  in_register.byte(rd12 >> 35);
  locations.number(in_register.all.size(), 2).bytes(in_register.all);
  locations.number(DebugSections::code_address(3, 9), 8);
  locations.number(DebugSections::code_address(3, 15), 8);
  locations.number(11, 2).byte(0x03).number(DebugSections::symbol_base + 1, 8).byte(0x23).byte(8);
  locations.number(0, 8).number(0, 8);
  sections.locations = locations.all;
  sections.symbols = {"other", "depot"};
  return sections;
}

TEST(Dwarf, FunctionsHaveVariablesWithTypesAndPlaces) {
  for (const std::uint16_t version : {2, 3, 4}) {
    const DebugInfo info = read_dwarf(example(version));
    ASSERT_EQ(info.functions.size(), 1u) << version;
    const DebugFunction& function = info.functions.front();
    EXPECT_EQ(function.function, 3u);
    ASSERT_EQ(function.variables.size(), 2u);
    const DebugVariable& n = function.variables[0];
    EXPECT_EQ(n.name, "n");
    EXPECT_TRUE(n.is_parameter);
    EXPECT_EQ(n.line, 7u);
    EXPECT_EQ(n.begin, 0u);
    EXPECT_EQ(n.end, 20u);
    ASSERT_EQ(n.locations.size(), 1u);
    EXPECT_EQ(n.locations[0].name, "%r1");
    EXPECT_TRUE(n.locations[0].is_register);
    EXPECT_EQ(info.types.at(static_cast<std::size_t>(n.type)).name, "int");
    EXPECT_EQ(info.types.at(static_cast<std::size_t>(n.type)).kind,
              SourceType::Kind::signed_integer);

    const DebugVariable& p = function.variables[1];
    EXPECT_EQ(p.name, "p");
    EXPECT_FALSE(p.is_parameter);
    EXPECT_EQ(p.line, 136u);
    EXPECT_EQ(p.begin, 5u);
    EXPECT_EQ(p.end, 15u);
    ASSERT_EQ(p.locations.size(), 2u);
    EXPECT_EQ(p.locations[0].name, "%rd12");
    EXPECT_EQ(p.locations[0].begin, 5u);
    EXPECT_EQ(p.locations[0].end, 9u);
    EXPECT_FALSE(p.locations[1].is_register);
    EXPECT_EQ(p.locations[1].name, "depot");
    EXPECT_EQ(p.locations[1].offset, 8u);
    const SourceType& pointer = info.types.at(static_cast<std::size_t>(p.type));
    EXPECT_EQ(pointer.name, "int*");
    EXPECT_EQ(pointer.element, n.type);
  }
}

TEST(Dwarf, NothingIsSaidOfAVersionThatIsNotKnown) {
  EXPECT_TRUE(read_dwarf(example(5)).functions.empty());
  EXPECT_TRUE(read_dwarf({}).functions.empty());
}

/// Whatever stands there, reading ends and stays within the sections (the sanitizers' build sees it).
TEST(Dwarf, CutAndChangedSectionsAreReadWithoutHarm) {
  const DebugSections whole = example();
  std::size_t read = 0;
  for (std::size_t cut = 0; cut < whole.info.size(); ++cut) {
    DebugSections sections = whole;
    sections.info.resize(cut);
    read += read_dwarf(sections).functions.size();
  }
  EXPECT_EQ(read, 0u) << "a unit that is cut off is none";
  for (std::size_t at = 0; at < whole.info.size(); ++at) {
    for (const int value : {0, 1, 7, 127, 128, 255}) {
      DebugSections sections = whole;
      sections.info[at] = static_cast<std::uint8_t>(value);
      read_dwarf(sections);
    }
  }
  for (std::size_t at = 0; at < whole.abbreviations.size(); ++at) {
    for (const int value : {0, 1, 0x08, 0x16, 0x18, 255}) {
      DebugSections sections = whole;
      sections.abbreviations[at] = static_cast<std::uint8_t>(value);
      read_dwarf(sections);
    }
  }
  for (std::size_t cut = 0; cut < whole.locations.size(); ++cut) {
    DebugSections sections = whole;
    sections.locations.resize(cut);
    EXPECT_TRUE(read_dwarf(sections).functions.empty()) << cut;
  }
}

}  // namespace
}  // namespace gridstride::sim
