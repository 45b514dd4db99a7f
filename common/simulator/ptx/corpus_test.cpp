// What nvcc writes for real sources, whole and damaged.
#include <gtest/gtest.h>

#include <cstdint>
#include <ctime>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>

#include "common/simulator/ptx/parser.h"
#include "common/simulator/ptx/testdata.h"

namespace gridstride::sim::ptx {
namespace {

constexpr const char* files[] = {"constructs.ptx", "constructs_debug.ptx", "link_main.ptx",
                                 "link_parts.ptx", "variables.ptx"};

const Function& kernel(const Module& module, const std::string& part_of_name) {
  for (const Function& function : module.functions)
    if (function.is_kernel && function.name.find(part_of_name) != std::string::npos)
      return function;
  throw std::runtime_error("no kernel " + part_of_name);
}

/// Every index that others follow without looking must be inside.
void check(const Module& module) {
  for (const Function& function : module.functions) {
    const auto registers = static_cast<std::int32_t>(function.registers.size());
    const auto instructions = static_cast<std::int32_t>(function.body.size());
    const std::function<void(const Operand&)> check_operand = [&](const Operand& operand) {
      const bool is_register = operand.kind == Operand::Kind::reg ||
                               (operand.kind == Operand::Kind::address && operand.index >= 0);
      if (is_register) {
        ASSERT_GE(operand.index, 0);
        ASSERT_LT(operand.index, registers);
      }
      if (operand.kind == Operand::Kind::label) {
        ASSERT_GE(operand.index, 0);
        ASSERT_LT(operand.index, instructions);
      }
      ASSERT_LT(operand.second_index, registers);
      for (const Operand& element : operand.elements) check_operand(element);
    };
    ASSERT_LE(function.location.call, function.calls.size());
    for (const Instruction& instruction : function.body) {
      ASSERT_LT(instruction.guard, registers);
      ASSERT_LT(instruction.location.file, module.files.size());
      ASSERT_LT(instruction.location.inner_file, module.files.size());
      ASSERT_LE(instruction.location.call, function.calls.size());
      for (const Operand& operand : instruction.operands) check_operand(operand);
    }
    for (std::size_t i = 0; i < function.calls.size(); ++i) {
      ASSERT_LT(function.calls[i].file, module.files.size());
      ASSERT_LE(function.calls[i].call, i);
    }
    for (const Function::Targets& targets : function.targets)
      for (const std::int32_t target : targets.instructions) {
        ASSERT_GE(target, 0);
        ASSERT_LT(target, instructions);
      }
    ASSERT_EQ(function.body.empty(), function.is_extern);
  }
  for (const Variable& variable : module.variables) {
    ASSERT_TRUE(variable.initial.empty() || variable.initial.size() == variable.size);
    for (const Variable::Relocation& relocation : variable.relocations)
      ASSERT_LE(relocation.at + 8, variable.initial.size());
  }
}

TEST(Corpus, IsRead) {
  for (const char* file : files) {
    const Module module = parse(testdata(file));
    EXPECT_FALSE(module.functions.empty()) << file;
    check(module);
  }
}

TEST(Corpus, ConstructsAreWhatTheirSourceSays) {
  const Module module = parse(testdata("constructs.ptx"));
  EXPECT_EQ(kernel(module, "indirect").max_threads, 256u);
  EXPECT_EQ(kernel(module, "indirect").min_blocks, 2u);
  EXPECT_EQ(kernel(module, "indirect").prototypes.size(), 1u);
  EXPECT_EQ(kernel(module, "structures").parameters.at(0).size, 88u);
  EXPECT_EQ(kernel(module, "structures").variables.at(0).space, Space::local);
  const auto variable = [&](const std::string& name) -> const Variable& {
    for (const Variable& candidate : module.variables)
      if (candidate.name == name) return candidate;
    throw std::runtime_error("no variable " + name);
  };
  EXPECT_EQ(variable("operations").relocations.size(), 2u);
  ASSERT_EQ(variable("packed").relocations.size(), 1u);
  EXPECT_EQ(variable("packed").relocations[0].at, 1u);
  EXPECT_EQ(variable("third").relocations.at(0).addend, 8);
  EXPECT_TRUE(variable("managed").is_managed);
}

TEST(Corpus, IsReadInTime) {
  // Forty times the largest file, some 1.2 MB: well under a second of the processor's time on any
  // machine, however busy it is.
  const std::string text = testdata("constructs_debug.ptx");
  const std::clock_t start = std::clock();
  for (int i = 0; i < 40; ++i) parse(text);
  EXPECT_LT(std::clock() - start, CLOCKS_PER_SEC);
}

/// Damaged text is read or refused, and what is read is whole. The damage is the same in every run.
TEST(Corpus, SurvivesDamage) {
  std::mt19937 random(7);  // NOLINT
  const auto upto = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  constexpr std::string_view pieces[] = {"{",      "}",          ";",  ".reg .b32 %r<9>;",
                                         "%r1",    "[",          "]",  "@%p1",
                                         ".param", "4294967296", "-",  "<",
                                         "$L_x:",  "\0",         "\"", "/*",
                                         "0f",     ","};
  std::size_t refused = 0;
  for (const char* file : {"constructs.ptx", "link_main.ptx"}) {
    const std::string good = testdata(file);
    for (int round = 0; round < 600; ++round) {
      std::string text = good;
      for (int change = 0; change < 1 + round % 3; ++change) {
        const std::size_t at = upto(text.size());
        switch (random() % 5) {
          case 0:
            text[at] = static_cast<char>(random());
            break;
          case 1:
            text.erase(at, 1 + upto(40));
            break;
          case 2:
            text.insert(at, pieces[upto(std::size(pieces))]);
            break;
          case 3:
            text.insert(at, text.substr(upto(text.size()), upto(200)));
            break;
          default:
            text.resize(at + 1);
        }
      }
      try {
        check(parse(text));
      } catch (const ParseError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 600u);  // most damage shows
}

TEST(Corpus, DeepNestingIsRefused) {
  const std::string text = ".version 9.0 .target sm_80 .entry k() " + std::string(100000, '{');
  EXPECT_THROW(parse(text), ParseError);
}

}  // namespace
}  // namespace gridstride::sim::ptx
