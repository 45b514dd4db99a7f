// The module level of PTX: directives, variables, and the heads of functions.
#include "common/simulator/ptx/parser.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/simulator/debug_info/dwarf.h"
#include "common/simulator/ptx/body_parser.h"
#include "common/simulator/ptx/debug_sections.h"
#include "common/simulator/ptx/declarations.h"
#include "common/simulator/ptx/inlined_ranges.h"
#include "common/simulator/ptx/lexer.h"
#include "common/simulator/ptx/locations.h"
#include "common/text.h"

namespace gridstride::sim::ptx {

namespace {

struct Linkage {
  bool is_extern = false, is_visible = false, is_weak = false;
};

class ModuleParser {
 public:
  explicit ModuleParser(std::string_view text) : lexer_(text) {}

  Module parse() {
    module_.files.emplace_back();
    while (lexer_.peek().kind != Token::Kind::end) statement();
    if (module_.version == 0) lexer_.fail("this is no PTX: the .version directive is missing");
    read_debug_info();
    resolve_aliases();
    for (Function& function : module_.functions)
      if (function.body.empty()) function.is_extern = true;
    drop_unknown_files();
    return std::move(module_);
  }

 private:
  void statement() {
    if (lexer_.accept(';')) return;
    if (!lexer_.peek().is_dotted()) lexer_.fail_expected("a directive");
    const std::string_view name = lexer_.take().text;
    if (name == "version")
      version();
    else if (name == "target")
      target();
    else if (name == "address_size")
      address_size();
    else if (name == "file")
      file();
    else if (name == "section")
      section();
    else if (name == "pragma")
      skip_statement();
    else if (name == "alias")
      alias();
    else if (name == "loc")
      locations_.parse(lexer_);
    else
      declaration(name);
  }

  void version() {
    // "9.0" is read as a decimal fraction; tenths are exact enough to round.
    const Token token = lexer_.take();
    const std::string_view text = token.text;
    const std::size_t dot = text.find('.');
    std::uint32_t number = 0;
    bool good = token.kind == Token::Kind::real && dot != std::string_view::npos &&
                dot + 2 == text.size() && dot <= 3;
    for (char c : text)
      if (good && c != '.') number = number * 10 + static_cast<std::uint32_t>(c - '0');
    if (!good) throw ParseError(token.line, "expected a version such as 9.0");
    module_.version = number;
  }

  void target() {
    module_.target = lexer_.expect_word("an architecture such as sm_80");
    while (lexer_.accept(',')) lexer_.expect_word("a target option");
  }

  void address_size() {
    if (lexer_.expect_integer("an address size") != 64)
      lexer_.fail("only 64-bit addresses are supported");
  }

  void file() {
    constexpr std::uint64_t most_files = 1 << 16;
    // `#line` makes them as long as it likes, and they stand in each line of each report.
    constexpr std::size_t most_path_bytes = 300;
    const std::uint64_t number = lexer_.expect_integer("a file number");
    if (number >= most_files) lexer_.fail("a file number beyond 65535");
    if (lexer_.peek().kind != Token::Kind::string) lexer_.fail_expected("a file name");
    if (module_.files.size() <= number) module_.files.resize(number + 1);
    module_.files[number] = shorten_middle(lexer_.take().text, most_path_bytes);
    while (lexer_.accept(',')) lexer_.expect_integer("a time stamp or a size");
  }

  void section() {
    std::string_view name;
    if (lexer_.peek().is_dotted() || lexer_.peek().is_word()) name = lexer_.take().text;
    if (!lexer_.peek().is('{')) lexer_.fail_expected("'{' after .section");
    sections_[name] = lexer_.take_block();
  }

  void skip_statement() {
    while (!lexer_.peek().is(';')) {
      if (lexer_.peek().kind == Token::Kind::end) lexer_.fail_expected("';'");
      lexer_.take();
    }
    lexer_.take();
  }

  void alias() {
    const std::string_view name = lexer_.expect_word("a name after .alias");
    lexer_.expect(',', "in .alias");
    const std::string_view aliasee = lexer_.expect_word("a function in .alias");
    lexer_.expect(';', "after .alias");
    aliases_.emplace_back(name, aliasee);
  }

  /// What starts with linkage, a state space, .entry or .func.
  void declaration(std::string_view first) {
    Linkage linkage;
    std::string_view name = first;
    for (;;) {
      if (name == "extern")
        linkage.is_extern = true;
      else if (name == "visible")
        linkage.is_visible = true;
      else if (name == "weak" || name == "common")
        linkage.is_weak = linkage.is_visible = true;
      else
        break;
      if (!lexer_.peek().is_dotted()) lexer_.fail_expected("a declaration");
      name = lexer_.take().text;
    }
    if (name == "entry" || name == "func") return function(name == "entry", linkage);
    const auto space = space_named(name);
    if (!space || *space == Space::param)
      lexer_.fail("the directive '." + std::string(name) + "' is not known");
    Variable common;
    common.space = *space;
    common.is_extern = linkage.is_extern;
    common.is_visible = linkage.is_visible;
    common.is_weak = linkage.is_weak;
    parse_variables(lexer_, common, allowance_, [&](Variable variable, std::string_view written) {
      add_variable(std::move(variable), written);
    });
  }

  void add_variable(Variable variable, std::string_view name) {
    const auto [entry, is_new] = variables_.try_emplace(name, module_.variables.size());
    if (is_new) {
      module_.variables.push_back(std::move(variable));
      return;
    }
    Variable& known = module_.variables[entry->second];
    if (variable.is_extern) return;
    if (!known.is_extern) lexer_.fail("the variable '" + variable.name + "' is defined twice");
    known = std::move(variable);
  }

  void function(bool is_kernel, const Linkage& linkage) {
    Function function;
    function.is_kernel = is_kernel;
    function.is_extern = linkage.is_extern;
    function.is_visible = linkage.is_visible || linkage.is_extern;
    function.is_weak = linkage.is_weak;
    if (lexer_.peek().is_dotted("attribute")) skip_attribute();
    if (lexer_.peek().is('(')) function.results = parse_parameters(lexer_);
    const std::string_view name = lexer_.expect_word("the name of a function");
    function.name = name;
    if (lexer_.peek().is('(')) function.parameters = parse_parameters(lexer_);
    while (lexer_.peek().is_dotted()) performance_directive(function);
    if (lexer_.peek().is('{')) {
      function.is_extern = false;
      BodyParser body(lexer_, locations_, allowance_, function);
      body.parse();
      // A second definition of the name is refused below.
      const auto number = static_cast<std::uint32_t>(
          functions_.contains(name) ? functions_[name] : module_.functions.size());
      for (const auto& [label, instruction] : body.labels())
        labels_.try_emplace(label, DebugSections::code_address(number, instruction));
    } else {
      lexer_.expect(';', "or a body after the head of a function");
    }
    add_function(std::move(function), name);
  }

  void skip_attribute() {
    lexer_.take();
    lexer_.expect('(', "after .attribute");
    for (int depth = 1; depth > 0;) {
      const Token token = lexer_.take();
      if (token.kind == Token::Kind::end) lexer_.fail_expected("')' after .attribute");
      if (token.is('(')) ++depth;
      if (token.is(')')) --depth;
    }
  }

  /// One, two or three numbers with commas; their product.
  std::uint64_t extents() {
    constexpr std::uint64_t largest = 1 << 20;
    std::uint64_t product = 1;
    do {
      const std::uint64_t extent = lexer_.expect_integer("a number of threads or blocks");
      if (extent == 0 || extent > largest) lexer_.fail("an impossible number of threads or blocks");
      product *= extent;
      if (product > largest) lexer_.fail("an impossible number of threads or blocks");
    } while (lexer_.accept(','));
    return product;
  }

  void performance_directive(Function& function) {
    const std::string_view name = lexer_.take().text;
    if (name == "maxntid" || name == "reqntid")
      function.max_threads = static_cast<std::uint32_t>(extents());
    else if (name == "minnctapersm")
      function.min_blocks = static_cast<std::uint32_t>(extents());
    else if (name == "maxnreg" || name == "maxnctapersm" || name == "abi_preserve" ||
             name == "abi_preserve_control" || name == "maxclusterrank")
      lexer_.expect_integer("a number");
    else if (name == "reqnctapercluster")
      function.cluster_blocks = static_cast<std::uint32_t>(extents());
    else if (name == "pragma")
      skip_statement();
    // .blocksareclusters: the launch counts its grid in clusters, which is the same where they have
    // one block.
    else if (name != "noreturn" && name != "explicitcluster" && name != "blocksareclusters")
      unknown_directive(function, name);
  }

  /// One of a newer PTX: its numbers and words are skipped, and the function is refused where it is launched.
  void unknown_directive(Function& function, std::string_view name) {
    if (function.unknown_directive.empty())
      function.unknown_directive = shorten_middle("." + std::string(name), 100);
    for (;;) {
      const Token token = lexer_.peek();
      if (token.kind == Token::Kind::end) lexer_.fail_expected("a body");
      if (token.is_dotted() || token.is('{') || token.is(';')) return;
      lexer_.take();
    }
  }

  void add_function(Function function, std::string_view name) {
    const auto [entry, is_new] = functions_.try_emplace(name, module_.functions.size());
    if (is_new) {
      module_.functions.push_back(std::move(function));
      return;
    }
    Function& known = module_.functions[entry->second];
    const bool is_visible = known.is_visible || function.is_visible;
    const bool is_weak = known.is_weak || function.is_weak;
    if (!function.body.empty()) {
      if (!known.body.empty()) lexer_.fail("the function '" + function.name + "' is defined twice");
      known = std::move(function);
    }
    known.is_visible = is_visible;
    known.is_weak = is_weak;
  }

  /// Gives each function its variables, if nvcc -G wrote of them.
  void read_debug_info() {
    for (auto section = sections_.begin(); section != sections_.end();) {
      const bool wanted = section->first == "debug_info" || section->first == "debug_abbrev" ||
                          section->first == "debug_loc" || section->first == "debug_str";
      section = wanted ? std::next(section) : sections_.erase(section);
    }
    DebugInfo info = read_dwarf(debug_sections(sections_, labels_));
    const auto types = std::make_shared<const std::vector<SourceType>>(std::move(info.types));
    for (DebugFunction& one : info.functions) {
      if (one.function >= module_.functions.size()) continue;
      Function& function = module_.functions[one.function];
      function.source_variables = std::move(one.variables);
      locate_inlined(function, one.inlined);
      function.source_types = types;
    }
  }

  /// An alias becomes a second function with the same body: nobody downstream need know aliases.
  void resolve_aliases() {
    constexpr std::size_t most_copied = 1 << 20;  // instructions; text must not grow without bound
    std::size_t copied = 0;
    for (const auto& [name, aliasee] : aliases_) {
      const auto source = functions_.find(aliasee);
      if (source == functions_.end() || module_.functions[source->second].body.empty())
        lexer_.fail("no function '" + std::string(aliasee) + "' for an .alias");
      copied += module_.functions[source->second].body.size();
      if (copied > most_copied) lexer_.fail("too many aliases of large functions");
      Function copy = module_.functions[source->second];
      copy.name = name;
      const auto known = functions_.find(name);
      if (known != functions_.end()) {
        const Function& declared = module_.functions[known->second];
        copy.is_visible = declared.is_visible;
        copy.is_weak = declared.is_weak;
      }
      add_function(std::move(copy), name);
    }
  }

  /// Others index Module::files with what stands in a Location.
  void drop_unknown_files() {
    const auto keep = [&](Location& location) {
      if (location.inner_file >= module_.files.size())
        location.inner_file = location.inner_line = 0;
      if (location.file >= module_.files.size()) location = {};
    };
    for (Function& function : module_.functions) {
      keep(function.location);
      for (Instruction& instruction : function.body) keep(instruction.location);
      for (InlinedCall& call : function.calls) {
        if (call.file >= module_.files.size()) call.file = 0;
      }
    }
  }

  Lexer lexer_;
  Module module_;
  Locations locations_;
  Allowance allowance_;
  std::unordered_map<std::string_view, std::size_t> functions_, variables_;
  std::vector<std::pair<std::string_view, std::string_view>> aliases_;
  SectionTexts sections_;
  CodeLabels labels_;
};

}  // namespace

Module parse(std::string_view text) { return ModuleParser(text).parse(); }

}  // namespace gridstride::sim::ptx
