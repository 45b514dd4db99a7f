// Which call inlined code belongs to, by ranges of the debug information.
#include "common/simulator/ptx/inlined_ranges.h"

#include <gtest/gtest.h>

#include "common/simulator/ptx/parser.h"

namespace gridstride::sim::ptx {
namespace {

/// Four instructions, in line 5 of the kernel, 40 and 50 of a header, 6 of the kernel.
Function kernel() {
  return parse(
             ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n"
             ".loc 1 5 0\nbar.sync 0;\n.loc 2 40 0\nbar.sync 1;\n.loc 2 50 0\nbar.sync 2;\n"
             ".loc 1 6 0\nret;\n}\n.file 1 \"k.cu\"\n.file 2 \"h.h\"\n")
      .functions.front();
}

TEST(InlinedRanges, GiveCodeThePlaceThatCalledIt) {
  Function function = kernel();
  locate_inlined(function, {{1, 3, 1, 5}, {2, 3, 2, 41}});
  const Location& outer = function.body[1].location;
  EXPECT_EQ(outer.file, 1u);
  EXPECT_EQ(outer.line, 5u);
  EXPECT_EQ(outer.inner_line, 40u);
  EXPECT_EQ(outer.own_line, 5u);
  const Location& inner = function.body[2].location;
  EXPECT_EQ(inner.line, 5u);
  EXPECT_EQ(inner.inner_line, 50u);
  const InlinedCall& call = function.calls[inner.call - 1];
  EXPECT_EQ(call.line, 41u);
  EXPECT_EQ(function.calls[call.call - 1].line, 5u);
}

TEST(InlinedRanges, LeaveOtherInstructionsAlone) {
  Function function = kernel();
  locate_inlined(function, {{1, 3, 1, 5}, {3, 3, 1, 9}, {90, 99, 1, 9}});
  EXPECT_EQ(function.body[0].location, kernel().body[0].location);
  EXPECT_EQ(function.body[3].location, kernel().body[3].location);
}

}  // namespace
}  // namespace gridstride::sim::ptx
