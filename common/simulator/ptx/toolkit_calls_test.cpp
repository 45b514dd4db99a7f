// Calls of the toolkit's functions become their bodies.
#include "common/simulator/ptx/toolkit_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "common/simulator/ptx/parser.h"

namespace gridstride::sim::ptx {
namespace {

/// `functions` in a header of the toolkit (.loc 1) and a kernel in line 7 of a program (.loc 2).
Module expanded(const std::string& functions, const std::string& kernel) {
  Module module = parse(".version 9.0\n.target sm_80\n.address_size 64\n" + functions +
                        "\n.visible .entry k(.param .u64 k_param_0) {\n"
                        ".reg .pred %p<4>; .reg .b16 %rs<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
                        ".loc 2 7 0\n" +
                        kernel +
                        "\nret;\n}\n"
                        ".file 1 \"/cuda/include/device_functions.hpp\"\n"
                        ".file 2 \"/home/me/include/kernel.cu\"\n");
  expand_toolkit_calls(module);
  return module;
}

const Function& kernel_of(const Module& module) { return module.functions.back(); }

std::vector<std::string> opcodes(const Function& function) {
  std::vector<std::string> names;
  for (const Instruction& one : function.body) names.push_back(one.full_name());
  return names;
}

std::size_t count(const Function& function, const std::string& opcode) {
  return static_cast<std::size_t>(std::ranges::count(function.body, opcode, &Instruction::opcode));
}

const Instruction& first(const Function& function, const std::string& opcode) {
  return *std::ranges::find(function.body, opcode, &Instruction::opcode);
}

const std::string add_one = R"(
.func (.param .b32 func_retval0) addOne(.param .b32 addOne_param_0) {
.reg .b32 %r<3>;
.loc 1 40 0
ld.param.u32 %r1, [addOne_param_0];
add.u32 %r2, %r1, 1;
st.param.b32 [func_retval0+0], %r2;
ret;
})";
/// Calls it with %r1; the result goes to %r2.
std::string call(const std::string& function, const std::string& from, const std::string& to) {
  return "{ .param .b32 param0; st.param.b32 [param0+0], " + from +
         "; .param .b32 retval0; call.uni (retval0), " + function + ", (param0); ld.param.b32 " +
         to + ", [retval0+0]; }\n";
}

TEST(ToolkitCalls, ABodyStandsWhereTheCallWas) {
  const Module module = expanded(add_one, call("addOne", "%r1", "%r2"));
  const Function& kernel = kernel_of(module);
  EXPECT_EQ(opcodes(kernel), (std::vector<std::string>{"mov.b32", "mov.u32", "add.u32", "mov.b32",
                                                       "mov.b32", "ret", "ret"}));
  EXPECT_TRUE(kernel.variables.empty()) << "arguments and results are registers";
}

TEST(ToolkitCalls, EachCallHasItsOwnRegisters) {
  const Module module =
      expanded(add_one, call("addOne", "%r1", "%r2") + call("addOne", "%r3", "%r4"));
  const Function& kernel = kernel_of(module);
  std::vector<std::int32_t> written;
  for (const Instruction& one : kernel.body)
    if (one.opcode != "ret") written.push_back(one.operands.front().index);
  std::ranges::sort(written);
  EXPECT_EQ(std::ranges::adjacent_find(written), written.end());
}

TEST(ToolkitCalls, ALineSaysWhoCalledIt) {
  const Module module = expanded(add_one, call("addOne", "%r1", "%r2"));
  const Function& kernel = kernel_of(module);
  const Location& at = first(kernel, "add").location;
  EXPECT_EQ(at.line, 7u);
  EXPECT_EQ(at.inner_line, 40u);
  ASSERT_EQ(at.call, 1u);
  EXPECT_EQ(kernel.calls[0].line, 7u);
}

TEST(ToolkitCalls, LeadThroughFunctionsThatCallOthers) {
  const std::string outer = R"(
.func (.param .b32 func_retval0) twice(.param .b32 twice_param_0) {
.reg .b32 %r<4>;
.loc 1 50 0
ld.param.u32 %r1, [twice_param_0];)" +
                            call("addOne", "%r1", "%r2") +
                            R"(st.param.b32 [func_retval0+0], %r2;
ret;
})";
  const Module module = expanded(add_one + outer, call("twice", "%r1", "%r2"));
  const Function& kernel = kernel_of(module);
  EXPECT_EQ(count(kernel, "call"), 0u);
  const Location& at = first(kernel, "add").location;
  ASSERT_EQ(at.line, 7u);
  EXPECT_EQ(at.inner_line, 40u);
  EXPECT_EQ(kernel.calls[at.call - 1].line, 50u);
  EXPECT_EQ(kernel.calls[kernel.calls[at.call - 1].call - 1].line, 7u);
}

TEST(ToolkitCalls, AReturnGoesOnBehindTheCallAndLabelsFollow) {
  const std::string early = R"(
.func early(.param .b32 early_param_0) {
.reg .pred %p<2>; .reg .b32 %r<3>;
.loc 1 60 0
ld.param.u32 %r1, [early_param_0];
setp.eq.s32 %p1, %r1, 0;
@%p1 ret;
$again: membar.gl;
@!%p1 bra $again;
ret;
})";
  const Module module = expanded(
      early,
      "$loop: { .param .b32 param0; st.param.b32 [param0+0], %r1; call.uni early, (param0); }\n"
      "bar.sync 0; @%p1 bra $loop;");
  const Function& kernel = kernel_of(module);
  std::vector<std::int32_t> targets;
  for (const Instruction& one : kernel.body)
    if (one.opcode == "bra") targets.push_back(one.operands.front().index);
  const auto place = [&](const std::string& opcode) {
    return static_cast<std::int32_t>(&first(kernel, opcode) - kernel.body.data());
  };
  EXPECT_EQ(targets, (std::vector<std::int32_t>{place("bar"), place("membar"), 0}));
}

TEST(ToolkitCalls, OfAWordItsLowerHalfMayBeTaken) {
  const std::string half = R"(
.func (.param .b32 func_retval0) half(.param .b32 half_param_0) {
.reg .b16 %rs<3>; .reg .b32 %r<3>;
.loc 1 70 0
ld.param.u16 %rs1, [half_param_0];
cvt.s32.s16 %r1, %rs1;
st.param.b32 [func_retval0+0], %r1;
ret;
})";
  const Module module = expanded(half, call("half", "%r1", "%r2"));
  EXPECT_EQ(opcodes(kernel_of(module))[1], "cvt.u16.u16");
  EXPECT_TRUE(kernel_of(module).variables.empty());
}

TEST(ToolkitCalls, AVariableOfTheCalleeIsARegisterUnlessItsAddressGoesElsewhere) {
  const auto keeps = [](const std::string& use) {
    return R"(
.func keeps(.param .b32 keeps_param_0) {
.local .align 4 .b8 depot[8];
.reg .b32 %r<3>; .reg .b64 %rd<5>;
.loc 1 80 0
mov.u64 %rd1, depot;
cvta.local.u64 %rd2, %rd1;
ld.param.u32 %r1, [keeps_param_0];
st.u32 [%rd2+4], %r1;
ld.u32 %r2, [%rd2+4];
)" + use + "\nret;\n}";
  };
  const std::string calls =
      "{ .param .b32 param0; st.param.b32 [param0+0], %r1; call.uni keeps, (param0); }";
  EXPECT_TRUE(kernel_of(expanded(keeps(""), calls)).variables.empty());
  EXPECT_EQ(kernel_of(expanded(keeps("add.u64 %rd3, %rd2, 4;"), calls)).variables.size(), 1u);
  EXPECT_EQ(kernel_of(expanded(keeps("ld.u64 %rd3, [%rd2];"), calls)).variables.size(), 1u)
      << "elements that overlap";
}

TEST(ToolkitCalls, WhatCannotBeExpandedStays) {
  const auto calls_left = [](const std::string& function, const std::string& calls) {
    return count(kernel_of(expanded(function, calls)), "call");
  };
  EXPECT_EQ(calls_left(".func f() {\n.loc 2 20 0\nret;\n}", "call.uni f, ();"), 1u)
      << "the program's own";
  EXPECT_EQ(calls_left(".func f() {\n.loc 1 20 0\ncall.uni f, ();\nret;\n}", "call.uni f, ();"), 1u)
      << "recursion";
  EXPECT_EQ(calls_left(".func f() {\n.shared .b32 s;\n.loc 1 20 0\nret;\n}", "call.uni f, ();"), 1u)
      << "its shared variable is there once";
  EXPECT_EQ(calls_left(".func f() {\n.loc 1 20 0\nret;\n}", "@%p1 call.uni f, ();"), 1u)
      << "under a guard";
  EXPECT_EQ(calls_left(".func f() {\n.loc 1 20 0\nret;\n}", "call.uni f, ();"), 0u);
  EXPECT_EQ(calls_left(".func f() {\nret;\n}", "call.uni f, ();"), 0u) << "the compiler's own";
}

TEST(ToolkitCalls, DoNotGrowWithoutBound) {
  std::string functions = ".func f0() {\n.reg .b32 %r<2>;\n.loc 1 1 0\nmov.u32 %r1, 1;\nret;\n}\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "call.uni f" + std::to_string(i - 1) + ", ();\n";
    functions +=
        ".func f" + std::to_string(i) + "() {\n.loc 1 1 0\n" + before + before + "ret;\n}\n";
  }
  const Module module = expanded(functions, "call.uni f39, ();");
  for (const Function& function : module.functions) EXPECT_LE(function.body.size(), 17000u);
}

TEST(ToolkitHeaders, AreKnownByTheirPlaceBelowInclude) {
  EXPECT_TRUE(is_toolkit_header("/usr/local/cuda/include/cooperative_groups/details/sync.h"));
  EXPECT_TRUE(is_toolkit_header("/opt/c/bin/../targets/x86_64-linux/include/sm_30_intrinsics.hpp"));
  EXPECT_TRUE(is_toolkit_header("/usr/include/crt/sm_70_rt.hpp"));
  EXPECT_FALSE(is_toolkit_header("/home/me/include/reduce.h"));
  EXPECT_FALSE(is_toolkit_header("/home/me/kernel.cu"));
  EXPECT_FALSE(is_toolkit_header("include/cuda_helpers.h"));
}

}  // namespace
}  // namespace gridstride::sim::ptx
