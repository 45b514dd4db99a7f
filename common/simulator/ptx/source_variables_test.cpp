// The variables that nvcc -G tells of: testdata/variables.cu.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/simulator/ptx/parser.h"
#include "common/simulator/ptx/testdata.h"

namespace gridstride::sim::ptx {
namespace {

class SourceVariables : public testing::Test {
 protected:
  const Function& function(const std::string& part) const {
    for (const Function& one : module_.functions) {
      if (one.name.find(part) != std::string::npos) return one;
    }
    throw std::runtime_error("no function " + part);
  }
  static std::vector<DebugVariable> variables(const Function& function, const std::string& name) {
    std::vector<DebugVariable> found;
    std::ranges::copy_if(function.source_variables, std::back_inserter(found),
                         [&](const DebugVariable& one) { return one.name == name; });
    return found;
  }
  static DebugVariable variable(const Function& function, const std::string& name) {
    const auto found = variables(function, name);
    if (found.size() != 1) throw std::runtime_error("not one variable " + name);
    return found.front();
  }
  static const SourceType& type(const Function& function, std::int32_t number) {
    return function.source_types->at(static_cast<std::size_t>(number));
  }
  static const SourceType& type(const Function& function, std::string_view name) {
    return type(function, variable(function, std::string(name)).type);
  }

  Module module_ = parse(testdata("variables.ptx"));
};

TEST_F(SourceVariables, ParametersOfAKernelAreItsParameters) {
  const Function& kernel = function("collect");
  std::vector<std::string> names;
  for (const DebugVariable& one : kernel.source_variables) {
    if (one.is_parameter) names.push_back(one.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"in", "out", "count", "mode", "origin"}));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const DebugVariable one = variable(kernel, names[i]);
    ASSERT_EQ(one.locations.size(), 1u) << names[i];
    EXPECT_FALSE(one.locations[0].is_register);
    // One whose address is taken is copied into local memory first.
    EXPECT_EQ(one.locations[0].name == kernel.parameters[i].name, names[i] != "origin");
    EXPECT_EQ(one.begin, 0u);
    EXPECT_GE(one.end + 1, kernel.body.size()) << "up to the return that the parser adds";
  }
  EXPECT_EQ(type(kernel, "in").name, "const Point*");
  EXPECT_EQ(type(kernel, "in").kind, SourceType::Kind::pointer);
  EXPECT_EQ(type(kernel, "count").kind, SourceType::Kind::signed_integer);
  EXPECT_EQ(type(kernel, "count").bytes, 8u);
  EXPECT_EQ(type(kernel, "mode").name, "Mode");
  EXPECT_EQ(type(kernel, "mode").kind, SourceType::Kind::unsigned_integer);
}

TEST_F(SourceVariables, StructuresHaveTheirMembersAlsoBehindTheirOwnPointers) {
  const Function& kernel = function("collect");
  const SourceType& point = type(kernel, "origin");
  EXPECT_EQ(point.name, "Point");
  EXPECT_EQ(point.bytes, 32u);
  ASSERT_EQ(point.members.size(), 4u);
  EXPECT_EQ(point.members[1].name, "y");
  EXPECT_EQ(point.members[1].offset, 4u);
  EXPECT_EQ(type(kernel, point.members[1].type).kind, SourceType::Kind::floating);
  const SourceType& ids = type(kernel, point.members[2].type);
  EXPECT_EQ(ids.name, "int[3]");
  EXPECT_EQ(ids.kind, SourceType::Kind::array);
  EXPECT_EQ(ids.count, 3u);
  EXPECT_EQ(ids.bytes, 12u);
  const SourceType& next = type(kernel, point.members[3].type);
  EXPECT_EQ(next.name, "const Point*");
  const SourceType& pointee = type(kernel, next.element);
  EXPECT_EQ(pointee.name, "const Point");
  EXPECT_EQ(pointee.members.size(), 4u) << "of the whole structure, not of its beginning";
}

TEST_F(SourceVariables, ArraysAreInSharedAndLocalMemory) {
  const Function& kernel = function("collect");
  const DebugVariable tile = variable(kernel, "tile");
  EXPECT_EQ(type(kernel, tile.type).name, "float[4][9]");
  EXPECT_EQ(type(kernel, tile.type).bytes, 144u);
  EXPECT_EQ(type(kernel, type(kernel, tile.type).element).name, "float[9]");
  ASSERT_EQ(tile.locations.size(), 1u);
  const auto shared = std::ranges::find(kernel.variables, tile.locations[0].name, &Variable::name);
  ASSERT_NE(shared, kernel.variables.end());
  EXPECT_EQ(shared->space, Space::shared);

  const DebugVariable powers = variable(kernel, "powers");
  EXPECT_EQ(powers.line, 25u);
  ASSERT_EQ(powers.locations.size(), 1u);
  const auto local = std::ranges::find(kernel.variables, powers.locations[0].name, &Variable::name);
  ASSERT_NE(local, kernel.variables.end());
  EXPECT_EQ(local->space, Space::local);
}

/// Each register that holds a variable is one of the function's, within the variable's block, and at
/// each instruction there is one place at most.
TEST_F(SourceVariables, ScalarsAreInRegisters) {
  const Function& helper = function("scaled");
  const DebugVariable sum = variable(helper, "sum");
  EXPECT_EQ(type(helper, sum.type).name, "float");
  EXPECT_GT(sum.locations.size(), 1u) << "it moves from register to register";
  std::size_t in_registers = 0;
  for (const Function* one : {&helper, &function("collect")}) {
    for (const DebugVariable& variable : one->source_variables) {
      EXPECT_LE(variable.begin, variable.end);
      EXPECT_LE(variable.end, one->body.size());
      std::uint32_t free_from = 0;
      for (const DebugLocation& location : variable.locations) {
        EXPECT_GE(location.begin, free_from) << variable.name;
        EXPECT_LE(location.end, one->body.size()) << variable.name;
        free_from = location.end;
        if (!location.is_register) continue;
        ++in_registers;
        EXPECT_NE(std::ranges::find(one->registers, location.name, &Register::name),
                  one->registers.end())
            << variable.name << " in " << location.name;
      }
    }
  }
  EXPECT_GE(in_registers, 8u);
}

TEST_F(SourceVariables, ANameOfAnInnerBlockIsAnotherVariable) {
  const auto loops = variables(function("collect"), "i");
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_LE(loops[0].end, loops[1].begin);
  EXPECT_LT(loops[0].line, loops[1].line);
}

TEST(SourceVariablesOf, AModuleWithoutThemHasNone) {
  const Module module = parse(testdata("constructs.ptx"));
  for (const Function& one : module.functions) EXPECT_TRUE(one.source_variables.empty());
}

TEST(SourceVariablesOf, SectionsThatHoldAnythingElseAreNoMistakeOfTheProgram) {
  const std::string head = ".version 9.0\n.target sm_75\n.address_size 64\n";
  for (const char* section : {"{ .b8 1, 2 .b8 \"}\" }", "{ .b8 }", "{ .quad 5 }", "{ label .b8 1 }",
                              "{ .b32 a-b+c }", "{ .b64 nobody, $L__tmp1-$L__tmp0, .debug_loc+7 }"})
    EXPECT_NO_THROW(parse(head + ".section .debug_info " + section)) << section;
}

}  // namespace
}  // namespace gridstride::sim::ptx
