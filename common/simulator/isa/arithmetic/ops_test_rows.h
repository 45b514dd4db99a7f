// Rows of the tables in ops_*_test.cpp: an instruction, its sources, its result.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "common/simulator/isa/arithmetic/ops_test_machine.h"

namespace gridstride::sim {

inline constexpr std::uint64_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
inline constexpr std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }
inline constexpr std::uint64_t bits(int value) { return static_cast<std::uint32_t>(value); }
inline constexpr std::uint64_t bits(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}
inline constexpr float inf = std::numeric_limits<float>::infinity();
inline constexpr std::uint64_t nan32 = 0x7fffffff;

/// What an instruction makes of register values. Sources are %?1, %?2, … and the result %?0.
struct Row1 {
  const char* instruction;
  std::vector<std::uint64_t> sources;
  std::uint64_t result;
};

inline std::string operand_name(const std::string& line, std::size_t number) {
  // "op %r0, %r1, …": the number-th register
  std::size_t at = 0;
  for (std::size_t i = 0; i <= number; ++i) at = line.find('%', at + 1);
  return line.substr(at, line.find_first_of(",;|} ", at) - at);
}

/// Full warp, and a mask that must leave the other lanes alone.
inline void check_row(const Row1& row) {
  for (const LaneMask mask : {full_mask, LaneMask{0x80f0a501}}) {
    TestMachine machine;
    const std::string destination = operand_name(row.instruction, 0);
    machine.set(destination, destination[1] == 'p' ? 0 : 0x0123456789abcdef);
    const std::uint64_t before = machine.get(destination, 0);
    for (std::size_t i = 0; i < row.sources.size(); ++i)
      machine.set(operand_name(row.instruction, i + 1), row.sources[i]);
    const Inst* inst = machine.decode(row.instruction);
    ASSERT_NE(inst, nullptr) << "refused: " << row.instruction;
    machine.run(*inst, mask);
    for (unsigned lane = 0; lane < warp_size; ++lane)
      ASSERT_EQ(machine.get(destination, lane), (mask >> lane & 1) != 0 ? row.result : before)
          << row.instruction << " in lane " << lane;
  }
}

}  // namespace gridstride::sim
