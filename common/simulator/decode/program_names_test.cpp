// Names of kernels and variables as people know them.
#include <gtest/gtest.h>

#include <string>

#include "common/simulator/program/program.h"

namespace gridstride::sim {
namespace {

TEST(ProgramNames, AreDemangled) {
  EXPECT_EQ(demangled("_Z4scalPKfi"), "scal(float const*, int)");
  EXPECT_EQ(demangled("extern_c"), "extern_c");
  EXPECT_EQ(demangled("f"), "f");
}

TEST(ProgramNames, OfRelocatableCodeDoNotSayTheFile) {
  EXPECT_EQ(demangled("__nv_static_21__f5aaf60e_5_a_cu_main__Z4scalPKfi"),
            "scal(float const*, int)");
  EXPECT_EQ(demangled("__nv_static_21__f5aaf60e_5_a_cu_main_plain"), "plain");
}

TEST(ProgramNames, ThatAreCutShortStayAsTheyAre) {
  for (const char* name : {"__nv_static_", "__nv_static_x", "__nv_static_20_", "__nv_static_2__a",
                           "__nv_static_99999999999999999999_a_b"}) {
    EXPECT_EQ(demangled(name), name);
  }
}

TEST(ProgramNames, AreBounded) {
  EXPECT_EQ(demangled(std::string(5000, 'k')).size(), 2000u);
  EXPECT_EQ(demangled("_Z5000" + std::string(5000, 'k') + "v").size(), 2000u);
}

TEST(ProgramNames, OfVariablesAreShort) {
  EXPECT_EQ(variable_title("_ZZ6reducePfE4tile"), "tile");
  EXPECT_EQ(variable_title("tile#2"), "tile");
  EXPECT_EQ(variable_title("s"), "s");
  EXPECT_EQ(variable_title("_ZZ6reducePfE4tile_$_12#2"), "tile.12") << "a member of a struct";
  EXPECT_EQ(variable_title("price_$_in_"), "price_$_in_");
}

}  // namespace
}  // namespace gridstride::sim
