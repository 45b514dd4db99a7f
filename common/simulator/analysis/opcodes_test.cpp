#include "common/simulator/analysis/opcodes.h"

#include <gtest/gtest.h>

#include <string>

namespace gridstride::sim {
namespace {

TEST(Opcodes, AreFoundByTheirName) {
  for (const Opcode& row : opcodes()) EXPECT_EQ(find_opcode(row.name), &row) << row.name;
}

TEST(Opcodes, AreNotFoundByAnother) {
  EXPECT_EQ(find_opcode(""), nullptr);
  for (const Opcode& row : opcodes()) {
    EXPECT_EQ(find_opcode(std::string(row.name) + "!"), nullptr) << row.name;
    std::string other(row.name);
    other.back() = '!';
    EXPECT_EQ(find_opcode(other), nullptr) << other;
  }
}

}  // namespace
}  // namespace gridstride::sim
