// Every access pattern that was measured on an H200, run as a kernel: the simulated counters must
// be the measured ones. Each row of count/testdata/h200-access-patterns.csv is one warp; lane i
// touches the element whose index the row gives, or stays out.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

constexpr int access_line = 42;

struct Row {
  int number = 0;
  std::string access;
  unsigned bytes = 0;
  std::vector<std::int32_t> indices;
  std::map<std::string, std::uint64_t> metrics;
};

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> result;
  std::stringstream text(line);
  for (std::string field; std::getline(text, field, ',');) result.push_back(field);
  return result;
}

std::vector<Row> read_rows() {
  const std::filesystem::path path = GRIDSTRIDE_GOLDEN_ROWS;
  std::ifstream file(path);
  std::vector<Row> rows;
  std::string line;
  std::getline(file, line);  // the names of the columns
  for (int number = 2; std::getline(file, line); ++number) {
    const std::vector<std::string> field = fields(line);
    if (field.size() != 8) throw std::runtime_error(path.string() + ": broken row");
    Row row{number, field[0], static_cast<unsigned>(std::stoul(field[1])), {}, {}};
    std::stringstream indices(field[3]);
    for (std::int32_t index = 0; indices >> index;) row.indices.push_back(index);
    row.metrics[field[4]] = std::stoull(field[5]);
    row.metrics[field[6]] = std::stoull(field[7]);
    rows.push_back(row);
  }
  return rows;
}

/// Modifiers and registers of an access of `bytes` a lane.
std::string operands(unsigned bytes, std::string& modifiers) {
  switch (bytes) {
    case 1:
      modifiers = ".u8";
      return "%r20";
    case 2:
      modifiers = ".u16";
      return "%r20";
    case 4:
      modifiers = ".u32";
      return "%r20";
    case 8:
      modifiers = ".u64";
      return "%rd20";
    default:
      modifiers = ".v4.u32";
      return "{%r20, %r21, %r22, %r23}";
  }
}

std::string kernel_of(const Row& row) {
  const bool shared = row.access.starts_with("shared");
  std::string modifiers;
  const std::string registers = operands(row.bytes, modifiers);
  const std::string space = shared ? ".shared" : ".global";
  const std::string address = shared ? "[%r6]" : "[%rd6]";
  std::string access;
  if (row.access.ends_with("load")) {
    access = "ld" + space + modifiers + " " + registers + ", " + address + ";";
  } else if (row.access.ends_with("store")) {
    access = "st" + space + modifiers + " " + address + ", " + registers + ";";
  } else {
    access = "atom" + space + ".add.u32 %r24, " + address + ", %r3;";  // a value for each lane
  }
  return kernel_text(2, 0,
                     R"(
    .shared .align 16 .b8 area[65536];
    ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1];
    mov.u32 %r3, %tid.x;
    mul.wide.u32 %rd3, %r3, 4; add.s64 %rd3, %rd1, %rd3;
    ld.global.s32 %r4, [%rd3];
    mov.u32 %r20, 1; mov.u32 %r21, 1; mov.u32 %r22, 1; mov.u32 %r23, 1; mov.u64 %rd20, 1;
    setp.lt.s32 %p1, %r4, 0;
    @%p1 bra $done;
    mul.lo.s32 %r5, %r4, )" +
                         std::to_string(row.bytes) + R"(;
    mov.u32 %r6, area; add.s32 %r6, %r6, %r5;
    cvt.s64.s32 %rd5, %r5; add.s64 %rd6, %rd2, %rd5;
    .loc 1 )" + std::to_string(access_line) +
                         " 1\n" + access + R"(
    .loc 1 99 1
  $done:
    ret;)",
                     ".file 1 \"golden.cu\"\n");
}

class Golden : public testing::TestWithParam<Row> {};

TEST_P(Golden, CountsWhatTheHardwareCounted) {
  const Row& row = GetParam();
  ASSERT_EQ(row.indices.size(), 32u);
  TestGrid gpu(kernel_of(row));
  const DeviceAddress table = gpu.upload(row.indices);
  const DeviceAddress area = gpu.memory.allocate(65536);
  const GridResult result = gpu.launch({1}, {32}, table, area);
  ASSERT_EQ(result.error, 0) << first_message(result);
  const Counters* c = nullptr;
  for (const LineCounters& line : result.lines) {
    if (line.line == access_line) c = &line.counters;
  }
  ASSERT_NE(c, nullptr);
  std::map<std::string, std::uint64_t> counted;
  if (row.access == "global_load") {
    counted = {{"requests", c->global_load_requests}, {"sectors", c->global_load_sectors}};
  } else if (row.access == "global_store") {
    counted = {{"requests", c->global_store_requests}, {"sectors", c->global_store_sectors}};
  } else if (row.access == "shared_load") {
    counted = {{"wavefronts", c->shared_load_wavefronts}, {"bank_conflicts", c->bank_conflicts()}};
  } else if (row.access == "shared_store") {
    counted = {{"wavefronts", c->shared_store_wavefronts}, {"bank_conflicts", c->bank_conflicts()}};
  } else if (row.access == "shared_atomic_add") {
    counted = {{"wavefronts", c->shared_atomic_wavefronts},
               {"bank_conflicts", c->bank_conflicts()}};
  }
  EXPECT_EQ(counted, row.metrics);
}

std::string title(const testing::TestParamInfo<Row>& row) {
  return "line_" + std::to_string(row.param.number) + "_" + row.param.access + "_" +
         std::to_string(row.param.bytes);
}

INSTANTIATE_TEST_SUITE_P(H200, Golden, testing::ValuesIn(read_rows()), title);

TEST(GoldenFile, IsThereInFull) { EXPECT_EQ(read_rows().size(), 236u); }

}  // namespace
}  // namespace gridstride::sim
