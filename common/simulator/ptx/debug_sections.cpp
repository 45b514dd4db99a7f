// See the header.
#include "common/simulator/ptx/debug_sections.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/ptx/lexer.h"
#include "common/simulator/ptx/parser.h"

namespace gridstride::sim::ptx {
namespace {

/// Bytes whose value is that of a name, plus a number, minus the value of another name.
struct Reference {
  std::size_t at = 0, bytes = 0;
  std::string_view name, minus;
  std::uint64_t addend = 0;
};

struct Section {
  std::vector<std::uint8_t> bytes;
  std::vector<Reference> references;
};

using Labels = std::unordered_map<std::string_view, std::uint64_t>;

void put(std::vector<std::uint8_t>& to, std::size_t at, std::size_t bytes, std::uint64_t value) {
  for (std::size_t i = 0; i < bytes; ++i) to[at + i] = static_cast<std::uint8_t>(value >> 8 * i);
}

class SectionReader {
 public:
  SectionReader(std::string_view text, Labels& labels) : lexer_(text), labels_(labels) {}

  Section read() {
    while (lexer_.peek().kind != Token::Kind::end) {
      if (lexer_.peek().is_word()) {
        labels_[lexer_.take().text] = section_.bytes.size();
        lexer_.expect(':', "after a label");
        continue;
      }
      if (!lexer_.peek().is_dotted()) lexer_.fail_expected("bytes");
      const std::size_t bytes = bytes_of(lexer_.take().text);
      do {
        value(bytes);
      } while (lexer_.accept(','));
    }
    return std::move(section_);
  }

 private:
  std::size_t bytes_of(std::string_view directive) const {
    for (const std::size_t bytes : {1u, 2u, 4u, 8u}) {
      if (directive == "b" + std::to_string(8 * bytes)) return bytes;
    }
    lexer_.fail("no directive of bytes");
  }

  void value(std::size_t bytes) {
    const std::size_t at = section_.bytes.size();
    section_.bytes.resize(at + bytes);
    if (lexer_.peek().kind == Token::Kind::integer || lexer_.peek().is('-'))
      return put(section_.bytes, at, bytes, lexer_.expect_integer("a number"));
    if (!lexer_.peek().is_word() && !lexer_.peek().is_dotted()) lexer_.fail_expected("a number");
    Reference reference{at, bytes, lexer_.take().text, {}, 0};
    if (lexer_.accept('+')) {
      reference.addend = lexer_.expect_integer("a distance");
    } else if (lexer_.accept('-')) {
      if (lexer_.peek().is_word())
        reference.minus = lexer_.take().text;
      else
        reference.addend = 0 - lexer_.expect_integer("a distance");
    }
    section_.references.push_back(reference);
  }

  Lexer lexer_;
  Labels& labels_;
  Section section_;
};

class Resolver {
 public:
  Resolver(const Labels& labels, const CodeLabels& code, std::vector<std::string>& symbols)
      : labels_(labels), code_(code), symbols_(symbols) {}

  void resolve(Section& section) {
    for (const Reference& one : section.references) {
      std::uint64_t value = value_of(one.name) + one.addend;
      if (!one.minus.empty()) value -= value_of(one.minus);
      put(section.bytes, one.at, one.bytes, value);
    }
  }

 private:
  std::uint64_t value_of(std::string_view name) {
    if (name.starts_with("debug_")) return 0;  // where a section begins
    if (const auto code = code_.find(name); code != code_.end()) return code->second;
    if (const auto label = labels_.find(name); label != labels_.end()) return label->second;
    const auto [known, is_new] = numbers_.try_emplace(name, symbols_.size());
    if (is_new) symbols_.emplace_back(name);
    return DebugSections::symbol_base + known->second;
  }

  const Labels& labels_;
  const CodeLabels& code_;
  std::vector<std::string>& symbols_;
  std::unordered_map<std::string_view, std::uint64_t> numbers_;
};

}  // namespace

DebugSections debug_sections(const SectionTexts& texts, const CodeLabels& code) {
  DebugSections sections;
  if (!texts.contains("debug_info")) return sections;
  try {
    std::map<std::string_view, Section> read;
    Labels labels;
    for (const auto& [name, text] : texts) read[name] = SectionReader(text, labels).read();
    Resolver resolver(labels, code, sections.symbols);
    for (auto& [name, section] : read) resolver.resolve(section);
    sections.info = std::move(read["debug_info"].bytes);
    sections.abbreviations = std::move(read["debug_abbrev"].bytes);
    sections.locations = std::move(read["debug_loc"].bytes);
    sections.strings = std::move(read["debug_str"].bytes);
    return sections;
  } catch (const ParseError&) {
    return {};  // the program runs without
  }
}

}  // namespace gridstride::sim::ptx
