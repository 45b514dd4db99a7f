// PTX in, Module out: small texts, each showing one thing that the compiler writes.
#include "common/simulator/ptx/parser.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gridstride::sim::ptx {
namespace {

using Kind = Operand::Kind;

/// A kernel with one parameter `p` and `body` in its braces.
Module kernel(const std::string& body, const std::string& more = {}) {
  return parse(".version 9.0\n.target sm_80\n.address_size 64\n" + more +
               "\n.visible .entry k(.param .u64 p)\n{\n" + body + "\n}\n");
}

const Function& only(const Module& module) { return module.functions.at(0); }

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const ParseError& error) {
    return error.what();
  }
  return "no error";
}

std::string body_error(const std::string& body) {
  try {
    kernel(body);
  } catch (const ParseError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Parser, ReadsTheHeadOfAModule) {
  const Module module = kernel("ret;");
  EXPECT_EQ(module.version, 90u);
  EXPECT_EQ(module.target, "sm_80");
  ASSERT_EQ(module.functions.size(), 1u);
  const Function& function = only(module);
  EXPECT_EQ(function.name, "k");
  EXPECT_TRUE(function.is_kernel);
  EXPECT_TRUE(function.is_visible);
  ASSERT_EQ(function.parameters.size(), 1u);
  EXPECT_EQ(function.parameters[0].name, "p");
  EXPECT_EQ(function.parameters[0].size, 8u);
  EXPECT_EQ(function.parameters[0].align, 8u);
}

TEST(Parser, ReadsAnInstruction) {
  const Module module = kernel(
      ".reg .pred %p<3>; .reg .f32 %f<9>; .reg .b64 %rd<2>;\n"
      "@!%p1 ld.global.nc.L2::128B.v4.f32 {%f1, %f2, _, %f4}, [%rd1+-16];");
  const Function& function = only(module);
  const Instruction& load = function.body.at(0);
  EXPECT_EQ(load.full_name(), "ld.global.nc.L2::128B.v4.f32");
  EXPECT_TRUE(load.has("nc"));
  EXPECT_FALSE(load.has("ca"));
  EXPECT_TRUE(load.guard_negated);
  EXPECT_EQ(function.registers.at(static_cast<std::size_t>(load.guard)).name, "%p1");
  ASSERT_EQ(load.operands.size(), 2u);
  ASSERT_EQ(load.operands[0].elements.size(), 4u);
  EXPECT_EQ(load.operands[0].elements[2].kind, Kind::sink);
  EXPECT_EQ(load.operands[1].kind, Kind::address);
  EXPECT_EQ(load.operands[1].offset, -16);
  EXPECT_EQ(load.ptx_line, 8u);
}

TEST(Parser, MakesOnlyTheRegistersThatAreUsed) {
  const Module module = kernel(".reg .b32 %r<4000000000>; add.s32 %r7, %r7, 3999999999;");
  EXPECT_EQ(only(module).registers.size(), 1u);
}

TEST(Parser, ReadsNumbers) {
  const Module module = kernel(
      ".reg .f32 %f<2>; .reg .f64 %d<2>; .reg .b64 %r<2>;\n"
      "mov.f32 %f1, 0f3FC00000; mov.f64 %d1, 0dBFF8000000000000; mov.u64 %r1, -5;"
      "mov.u64 %r1, 0xFFFFFFFFFFFFFFFF; mov.u64 %r1, 017; mov.u64 %r1, 0b101; mov.u64 %r1, 7U;"
      "mov.f64 %d1, -1.5; mov.u64 %r1, WARP_SZ;");
  const auto bits = [&](std::size_t i) { return only(module).body.at(i).operands.at(1).bits; };
  EXPECT_EQ(bits(0), 0x3FC00000u);
  EXPECT_EQ(only(module).body[0].operands[1].float_bytes, 4);
  EXPECT_EQ(bits(1), std::bit_cast<std::uint64_t>(-1.5));
  EXPECT_EQ(only(module).body[1].operands[1].float_bytes, 8);
  EXPECT_EQ(bits(2), ~std::uint64_t{4});
  EXPECT_EQ(bits(3), ~std::uint64_t{0});
  EXPECT_EQ(bits(4), 15u);
  EXPECT_EQ(bits(5), 5u);
  EXPECT_EQ(bits(6), 7u);
  EXPECT_EQ(bits(7), std::bit_cast<std::uint64_t>(-1.5));
  EXPECT_EQ(bits(8), 32u);
}

TEST(Parser, BranchesPointAtInstructions) {
  const Module module =
      kernel(".reg .pred %p<2>;\n$A: bar.sync 0; @%p1 bra $B; bra.uni $A;\n$B: trap;\n$C:");
  const Function& function = only(module);
  EXPECT_EQ(function.body[1].operands[0].index, 3);
  EXPECT_EQ(function.body[2].operands[0].index, 0);
  EXPECT_EQ(function.body.back().opcode, "ret");  // so that $C stands before something
}

TEST(Parser, BlocksOfInlineAssemblyHaveNamesOfTheirOwn) {
  const Module module = kernel(
      ".reg .b32 %r<3>;\n"
      "{ .reg .pred p; .reg .u32 t, q<4>; setp.ne.u32 p, %r1, 0; @p bra L; mov.u32 q2, 3; L: }\n"
      "{ .reg .pred p; .reg .u32 %r1; setp.eq.u32 p, %r1, 0; @p bra L; add.u32 %r2, %r1, 1;\nL: }\n"
      "add.u32 %r2, %r1, 2;");
  const Function& function = only(module);
  EXPECT_NE(function.body[0].operands[0].index, function.body[3].operands[0].index);
  EXPECT_EQ(function.body[1].operands[0].index, 3);
  EXPECT_EQ(function.body[4].operands[0].index, 6);
  EXPECT_EQ(function.body[6].operands[1].index, function.body[0].operands[1].index);
  EXPECT_NE(function.body[5].operands[1].index, function.body[6].operands[1].index);
}

TEST(Parser, CallsAreBroughtToOneForm) {
  const Module module = kernel(
      ".reg .b64 %rd<3>;\n"
      "{ .param .b64 param0; st.param.b64 [param0+0], %rd1; .param .b32 retval0;\n"
      "call.uni (retval0), f, (param0); }\n"
      "{ .param .b64 param0; call g, (param0); }\n"
      "{ .param .align 8 .b8 param0[24]; proto : .callprototype (.param .b32 _) _ (.param .b64 "
      "_);\n"
      ".param .b32 retval0; call (retval0), %rd1, (param0), proto; }\n"
      "call h;",
      ".extern .func (.param .b32 r) f (.param .b64 a); .extern .func g(.param .b64 a);"
      ".extern .func h;");
  const Function& function = module.functions.back();
  const auto call = [&](std::size_t i) -> const std::vector<Operand>& {
    EXPECT_EQ(function.body.at(i).opcode, "call");
    EXPECT_GE(function.body[i].operands.size(), 3u);
    return function.body[i].operands;
  };
  EXPECT_EQ(call(1)[0].elements.at(0).name, "retval0");
  EXPECT_EQ(call(1)[1].name, "f");
  EXPECT_EQ(call(1)[2].elements.at(0).name, "param0");
  EXPECT_TRUE(call(2)[0].elements.empty());
  EXPECT_EQ(call(2)[2].elements.at(0).name, "param0");    // the storage of the closed block
  EXPECT_EQ(call(3)[2].elements.at(0).name, "param0#1");  // another size
  EXPECT_EQ(call(3)[1].kind, Kind::reg);
  EXPECT_EQ(call(3)[3].name, "proto");
  EXPECT_TRUE(call(4)[2].elements.empty());
  ASSERT_EQ(function.prototypes.size(), 1u);
  EXPECT_EQ(function.prototypes[0].parameters.at(0).size, 8u);
}

TEST(Parser, LinesLeadToTheOutermostUserCode) {
  const Module module = kernel(
      ".loc 1 17 0\n.reg .b32 %r<2>;\n"
      ".loc 2 897 16, function_name $L__info_string0, inlined_at 1 22 30\n"
      ".loc 3 321 17, function_name $L__info_string1, inlined_at 2 897 16\n"
      "mov.u32 %r1, 1;\n.loc 1 23 5\nmov.u32 %r1, 2;\n.loc 9 1 1\nmov.u32 %r1, 2;",
      ".file 1 \"/a/kernel.cu\"\n.file 2 \"lib.h\", 123, 456\n.file 3 \"deep.h\"");
  const Function& function = only(module);
  EXPECT_EQ(function.location.line, 17u);
  EXPECT_EQ(function.body[0].location, (Location{1, 22, 3, 321, 22, 2}));
  ASSERT_EQ(function.calls.size(), 2u);
  EXPECT_EQ(function.calls[1].line, 897u);
  EXPECT_EQ(function.calls[1].call, 1u);
  EXPECT_EQ(function.calls[0].line, 22u);
  EXPECT_EQ(function.calls[0].call, 0u);
  EXPECT_EQ(function.body[1].location, (Location{1, 23, 0, 0, 23}));
  EXPECT_EQ(function.body[2].location, Location{});  // a file that the module does not name
  EXPECT_EQ(module.files.at(1), "/a/kernel.cu");
}

TEST(Parser, NamesOfFilesAreBounded) {
  const std::string path = "/home/" + std::string(3000, 'x') + "/kernel.cu";
  const Module module =
      kernel(".loc 1 17 0\n.reg .b32 %r<2>;\nmov.u32 %r1, 1;", ".file 1 \"" + path + "\"");
  EXPECT_EQ(module.files.at(1).size(), 300u);
  EXPECT_TRUE(module.files.at(1).starts_with("/home/x"));
  EXPECT_TRUE(module.files.at(1).ends_with("x/kernel.cu"));
}

TEST(Parser, LinesOfHelpersInTheUsersFileAreKept) {
  const Module module = kernel(
      ".loc 1 17 0\n.reg .b32 %r<2>;\n"
      ".loc 1 8 3, function_name $L__info_string0, inlined_at 1 22 30\n"
      ".loc 2 321 17, function_name $L__info_string1, inlined_at 1 8 3\n"
      "mov.u32 %r1, 1;",
      ".file 1 \"/a/kernel.cu\"\n.file 2 \"lib.h\"");
  EXPECT_EQ(only(module).body[0].location, (Location{1, 22, 2, 321, 8, 2}));
}

TEST(Parser, ReadsInitialValues) {
  const Module module = parse(
      ".version 9.0\n.target sm_80\n"
      ".visible .global .align 4 .u32 one = 7;\n"
      ".const .align 8 .f64 pi[3] = {0d3FF0000000000000, 2.0};\n"
      ".global .align 1 .b8 text[] = {104, 105, 0};\n"
      ".global .align 8 .u64 places[3] = {1, generic(one)+4, text};\n"
      ".global .align 1 .b8 packed[9] = {5, 0xFF(one), 0xFF00(one), 0xFF0000(one), 0xFF000000(one),"
      " 0xFF00000000(one), 0xFF0000000000(one), 0xFF000000000000(one), 0xFF00000000000000(one)};\n"
      ".extern .shared .align 16 .b8 dynamic[];\n.weak .global .attribute(.managed) .u64 m;\n"
      ".global .align 16 .v4 .f32 quad;");
  const auto& v = module.variables;
  ASSERT_EQ(v.size(), 8u);
  EXPECT_EQ(v[0].initial, (std::vector<std::uint8_t>{7, 0, 0, 0}));
  EXPECT_EQ(v[1].size, 24u);
  EXPECT_EQ(v[1].initial[6], 0xf0);
  EXPECT_EQ(v[1].initial[15], 0x40);
  EXPECT_EQ(v[2].size, 3u);
  ASSERT_EQ(v[3].relocations.size(), 2u);
  EXPECT_EQ(v[3].relocations[0].at, 8u);
  EXPECT_EQ(v[3].relocations[0].addend, 4);
  EXPECT_TRUE(v[3].relocations[0].generic);
  EXPECT_EQ(v[3].relocations[1].symbol, "text");
  ASSERT_EQ(v[4].relocations.size(), 1u);
  EXPECT_EQ(v[4].relocations[0].at, 1u);
  EXPECT_TRUE(v[5].is_extern);
  EXPECT_EQ(v[5].size, 0u);
  EXPECT_EQ(v[5].align, 16u);
  EXPECT_TRUE(v[6].is_managed);
  EXPECT_TRUE(v[6].is_weak);
  EXPECT_EQ(v[7].size, 16u);
}

TEST(Parser, ReadsTablesOfBranches) {
  const Module module = kernel(
      ".reg .b32 %r<2>;\n$T: .branchtargets $A, $B, $A;\nbrx.idx %r1, $T;\n$A: trap;\n$B: exit;");
  const Function& function = only(module);
  ASSERT_EQ(function.targets.size(), 1u);
  EXPECT_EQ(function.targets[0].label, "$T");
  EXPECT_EQ(function.targets[0].instructions, (std::vector<std::int32_t>{1, 2, 1}));
  EXPECT_EQ(function.body[0].operands[1].name, "$T");
}

TEST(Parser, ReadsTheRest) {
  const Module module = parse(
      "// comment\n/* another\n one */ .version 8.4\n.target sm_90, debug\n.address_size 64\n"
      ".func inner;\n.visible .func (.param .align 4 .b8 r[8]) inner(.param .b32 a)\n.noreturn\n"
      "{ .pragma \"nounroll\"; ret; }\n.weak .func other;\n.alias other, inner;\n"
      ".entry bounded() .maxntid 128, 2, 1 .minnctapersm 3 .maxnreg 40 { .reg .pred p, q;\n"
      " .reg .b32 %r<5>; shfl.sync.down.b32 %r1|p, %r2, 1, 31, -1; setp.lt.s32 p|_, %r1, %r2;\n"
      " and.pred p, !q, p; mov.u32 %r1, %tid.x; mov.u32 %r1, %lanemask_lt; }\n"
      ".section .debug_str { info: .b8 1, 2\n .b8 \"}\" }");
  EXPECT_EQ(module.version, 84u);
  ASSERT_EQ(module.functions.size(), 3u);
  EXPECT_EQ(module.functions[0].results.at(0).size, 8u);
  EXPECT_FALSE(module.functions[0].is_extern);
  EXPECT_EQ(module.functions[1].name, "other");
  EXPECT_EQ(module.functions[1].body.size(), module.functions[0].body.size());
  EXPECT_TRUE(module.functions[1].is_weak);
  const Function& bounded = module.functions[2];
  EXPECT_EQ(bounded.max_threads, 256u);
  EXPECT_EQ(bounded.min_blocks, 3u);
  EXPECT_GE(bounded.body[0].operands[0].second_index, 0);
  EXPECT_EQ(bounded.body[1].operands[0].second_index, -1);
  EXPECT_TRUE(bounded.body[2].operands[1].negate);
  EXPECT_EQ(bounded.body[3].operands[1].kind, Kind::special);
  EXPECT_EQ(bounded.body[3].operands[1].name, "%tid.x");
}

TEST(Parser, ReadsDirectivesOfClusters) {
  const Module module = parse(
      ".version 9.0\n.target sm_90\n.address_size 64\n"
      ".entry a() .explicitcluster .reqnctapercluster 2, 2, 1 { ret; }\n"
      ".entry b() .blocksareclusters .reqntid 32, 1, 1 .reqnctapercluster 1, 1, 1 { ret; }\n"
      ".entry c() .maxntid 128 .minnctapersm 2 .maxclusterrank 4 { ret; }");
  ASSERT_EQ(module.functions.size(), 3u);
  EXPECT_EQ(module.functions[0].cluster_blocks, 4u);
  EXPECT_EQ(module.functions[1].cluster_blocks, 1u);
  EXPECT_EQ(module.functions[2].cluster_blocks, 0u);
  for (const Function& function : module.functions) EXPECT_EQ(function.unknown_directive, "");
}

TEST(Parser, ADirectiveOfANewerPtxStopsOnlyItsFunction) {
  const Module module = parse(
      ".version 9.9\n.target sm_90\n.address_size 64\n"
      ".entry a() .maxfoo 3, word .maxnreg 40 { .reg .b32 %r<2>; mov.u32 %r1, 1; }\n"
      ".entry b() { .bar 1, x; ret; }\n.entry c() { ret; }");
  ASSERT_EQ(module.functions.size(), 3u);
  EXPECT_EQ(module.functions[0].unknown_directive, ".maxfoo");
  EXPECT_EQ(module.functions[0].body.size(), 2u);
  EXPECT_EQ(module.functions[1].unknown_directive, ".bar");
  EXPECT_EQ(module.functions[2].unknown_directive, "");
  EXPECT_EQ(body_error(".bar 1 }"), "PTX line 7: expected ';' after .bar, found '}'");
}

TEST(Parser, SaysWhereAndWhatWasExpected) {
  EXPECT_EQ(body_error("\nadd.s32 %r1, %r2, 3;"), "PTX line 8: unknown register '%r1'");
  EXPECT_EQ(body_error("bra $nowhere;"), "PTX line 7: branch to an unknown label '$nowhere'");
  EXPECT_EQ(body_error("bar.sync 0"), "PTX line 8: expected ';' after an instruction, found '}'");
  EXPECT_EQ(body_error(".reg .b32 a, a;"), "PTX line 7: 'a' is declared twice in one block");
  EXPECT_EQ(error_of(""), "PTX line 1: this is no PTX: the .version directive is missing");
  EXPECT_EQ(error_of("\x7f\x45LF"), "PTX line 1: expected a directive, found '?'");
  EXPECT_EQ(error_of(".version 9.0\n.texref t;"),
            "PTX line 2: the directive '.texref' is not known");
  EXPECT_EQ(error_of(".version 9.0 .global .b8 x[99999999999] = {1};"),
            "PTX line 1: initialised variables of more than 256 MiB");
}

}  // namespace
}  // namespace gridstride::sim::ptx
