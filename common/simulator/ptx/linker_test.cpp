// Modules in, one module out.
#include "common/simulator/ptx/linker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/ptx/parser.h"
#include "common/simulator/ptx/testdata.h"

namespace gridstride::sim::ptx {
namespace {

Module text(const std::string& body) { return parse(".version 9.0\n.target sm_80\n" + body); }

Module linked(const std::string& first, const std::string& second) {
  std::vector<Module> modules;
  modules.push_back(text(first));
  modules.push_back(text(second));
  return link(std::move(modules));
}

std::string error_of(const std::string& first, const std::string& second) {
  try {
    linked(first, second);
  } catch (const LinkError& error) {
    return error.what();
  }
  return "no error";
}

const Function& function(const Module& module, const std::string& name) {
  const auto found = std::find_if(module.functions.begin(), module.functions.end(),
                                  [&](const Function& f) { return f.name == name; });
  if (found == module.functions.end()) throw std::runtime_error("no function " + name);
  return *found;
}
const Variable& variable(const Module& module, const std::string& name) {
  const auto found = std::find_if(module.variables.begin(), module.variables.end(),
                                  [&](const Variable& v) { return v.name == name; });
  if (found == module.variables.end()) throw std::runtime_error("no variable " + name);
  return *found;
}

TEST(Linker, JoinsWhatTheCompilerWroteSeparately) {
  for (const bool main_first : {true, false}) {
    std::vector<Module> modules;
    modules.push_back(parse(testdata(main_first ? "link_main.ptx" : "link_parts.ptx")));
    modules.push_back(parse(testdata(main_first ? "link_parts.ptx" : "link_main.ptx")));
    const Module module = link(std::move(modules));
    EXPECT_FALSE(function(module, "_Z8weightedfi").is_extern);
    EXPECT_TRUE(function(module, "vprintf").is_extern);
    EXPECT_EQ(std::count_if(module.functions.begin(), module.functions.end(),
                            [](const Function& f) { return f.name == "_Z5twiceIfET_S0_"; }),
              1);
    EXPECT_EQ(variable(module, "offset").initial, (std::vector<std::uint8_t>{3, 0, 0, 0}));
    EXPECT_EQ(variable(module, "weights").initial.size(), 16u);
    EXPECT_TRUE(variable(module, "tile").is_extern);  // dynamic shared memory stays without a size
    ASSERT_EQ(module.files.size(), 3u);
    const Location where = function(module, "_Z8weightedfi").location;
    EXPECT_NE(module.files.at(where.file).find("link_parts.cu"), std::string::npos);
    const Location kernel = function(module, "_Z5applyPfi").location;
    EXPECT_NE(module.files.at(kernel.file).find("link_main.cu"), std::string::npos);
  }
}

TEST(Linker, KeepsPrivateNamesApart) {
  const Module module = linked(
      ".global .u32 mine = 1; .func f() { .reg .b64 %l<2>; mov.u64 %l1, mine; ret; }"
      ".visible .entry a() { call f; ret; }",
      ".global .u32 mine = 2; .func f() { .reg .b64 %l<2>; mov.u64 %l1, mine; ret; }"
      ".global .u64 place = generic(mine);"
      ".visible .entry b(.param .u64 f) { .reg .b64 %l<2>; ld.param.u64 %l1, [f]; call f; ret; }");
  EXPECT_EQ(variable(module, "mine").initial[0], 1);
  EXPECT_EQ(variable(module, "mine@1").initial[0], 2);
  EXPECT_EQ(variable(module, "place").relocations[0].symbol, "mine@1");
  EXPECT_EQ(function(module, "f@1").body[0].operands[1].name, "mine@1");
  EXPECT_EQ(function(module, "a").body[0].operands[1].name, "f");
  EXPECT_EQ(function(module, "b").body[0].operands[1].name,
            "f");  // its parameter, not the function
}

TEST(Linker, AStrongDefinitionWins) {
  for (const bool weak_first : {true, false}) {
    const std::string weak = ".weak .global .u32 x = 1; .weak .func f() { trap; }";
    const std::string strong = ".visible .global .u32 x = 2; .visible .func f() { exit; }";
    const Module module = weak_first ? linked(weak, strong) : linked(strong, weak);
    EXPECT_EQ(variable(module, "x").initial[0], 2);
    EXPECT_EQ(function(module, "f").body[0].opcode, "exit");
  }
}

TEST(Linker, ADefinitionReplacesADeclaration) {
  const Module module =
      linked(".extern .global .align 8 .b8 x[]; .extern .func f; .visible .entry k() { call f; }",
             ".visible .global .align 16 .b8 x[8]; .visible .func f { ret; }");
  EXPECT_EQ(variable(module, "x").size, 8u);
  EXPECT_EQ(variable(module, "x").align, 16u);
  EXPECT_FALSE(function(module, "f").is_extern);
}

TEST(Linker, NamesWhatIsMissing) {
  EXPECT_EQ(error_of(".extern .func f; .visible .entry k() { call f; }", ""),
            "the device function 'f' is called but defined nowhere: compile the file that defines "
            "it with -rdc=true and link it in");
  EXPECT_EQ(error_of(".extern .global .u32 x; .global .u64 p = x;", ""),
            "the device variable 'x' is declared extern but defined nowhere: compile the file that "
            "defines it with -rdc=true and link it in");
  EXPECT_EQ(error_of(".visible .entry k() { .reg .b64 %l; mov.u64 %l, nothing; }", ""),
            "the device symbol 'nothing' is used but declared nowhere");
}

TEST(Linker, NamesWhatIsDefinedTwice) {
  EXPECT_EQ(error_of(".visible .func f { ret; }", ".visible .func f { ret; }"),
            "the function 'f' is defined in two files: give it one definition, or make it static");
  EXPECT_EQ(error_of(".visible .global .u32 x;", ".visible .global .u32 x;"),
            "the variable 'x' is defined in two files: give it one definition, or make it static");
}

TEST(Linker, LeavesTheDeviceRuntimeToTheSimulator) {
  const Module module = linked(
      ".extern .func vprintf; .extern .func __cudaCDP2Free; .extern .func unused;"
      ".visible .entry k() { call vprintf; call __cudaCDP2Free; }",
      "");
  EXPECT_TRUE(function(module, "vprintf").is_extern);
}

}  // namespace
}  // namespace gridstride::sim::ptx
