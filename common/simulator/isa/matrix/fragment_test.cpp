// What moves matrices between memory and registers: wmma, ldmatrix, stmatrix, movmatrix.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "common/simulator/exec/test_grid.h"
#include "common/simulator/isa/matrix/matrix_test_numbers.h"

namespace gridstride::sim {
namespace {

using Words = std::vector<std::uint32_t>;

// wmma.
struct WmmaCase {
  unsigned m, n, k;
  const char *ab, *c, *d;
  const char* types;  ///< as wmma.mma names them
};
const WmmaCase wmma_cases[] = {
    {16, 16, 16, "f16", "f32", "f32", "f32.f32"},
    {16, 16, 16, "f16", "f16", "f16", "f16.f16"},
    {16, 16, 16, "f16", "f32", "f16", "f16.f32"},
    {32, 8, 16, "f16", "f32", "f32", "f32.f32"},
    {8, 32, 16, "f16", "f16", "f16", "f16.f16"},
    {16, 16, 16, "bf16", "f32", "f32", "f32.bf16.bf16.f32"},
    {32, 8, 16, "bf16", "f32", "f32", "f32.bf16.bf16.f32"},
    {8, 32, 16, "bf16", "f32", "f32", "f32.bf16.bf16.f32"},
    {16, 16, 8, "tf32", "f32", "f32", "f32.tf32.tf32.f32"},
    {8, 8, 4, "f64", "f64", "f64", "f64.f64.f64.f64.rn"},
    {16, 16, 16, "s8", "s32", "s32", "s32.s8.s8.s32"},
    {32, 8, 16, "u8", "s32", "s32", "s32.u8.u8.s32"},
    {8, 32, 16, "s8", "s32", "s32", "s32.s8.s8.s32"},
};

/// A matrix in memory by rows or by columns, `stride` elements apart.
std::vector<std::uint8_t> in_memory(const Numbers& matrix, unsigned rows, unsigned columns,
                                    const std::string& type, bool by_rows, unsigned stride) {
  const std::uint32_t bytes = bytes_of(type);
  std::vector<std::uint8_t> memory(std::size_t{by_rows ? rows : columns} * stride * bytes);
  for (unsigned row = 0; row < rows; ++row) {
    for (unsigned column = 0; column < columns; ++column) {
      const std::uint64_t bits = encode(type, matrix[row * columns + column]);
      const std::size_t at = by_rows ? row * stride + column : column * stride + row;
      std::memcpy(memory.data() + at * bytes, &bits, bytes);
    }
  }
  return memory;
}

std::size_t registers_of(const std::string& type, unsigned elements, bool accumulator) {
  if (type == "f16" && !accumulator) return 8;
  const std::uint32_t bytes = bytes_of(type);
  return elements / 32 / (bytes >= 4 ? 1 : 4 / bytes);
}

class Wmma : public testing::TestWithParam<std::size_t> {};

TEST_P(Wmma, LoadsMultipliesAndStores) {
  const WmmaCase& test = wmma_cases[GetParam()];
  const unsigned m = test.m, n = test.n, k = test.k;
  const Numbers a = draw(m * k, test.ab, 1), b = draw(k * n, test.ab, 2),
                c = draw(m * n, test.c, 3);
  const Numbers expected = product(a, b, c, m, n, k);
  const std::string shape =
      "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
  const bool wide = std::string(test.ab) == "f64";
  const char* const prefix = wide ? "%rd" : "%r";
  const auto list = [&](int first, const char* type, unsigned elements, bool accumulator) {
    return registers(prefix, first, registers_of(type, elements, accumulator), "%rd1", wide).list;
  };
  constexpr unsigned stride = 48;  // elements: 16-byte steps in all types
  for (int layouts = 0; layouts < 16; ++layouts) {
    const bool a_rows = (layouts & 1) != 0, b_rows = (layouts & 2) != 0,
               c_rows = (layouts & 4) != 0, d_rows = (layouts & 8) != 0;
    const auto word = [](bool rows) { return std::string(rows ? "row." : "col."); };
    const std::string begin = "wmma.load.", sync = ".sync.aligned.";
    const std::string fa = list(8, test.ab, m * k, false), fb = list(16, test.ab, k * n, false),
                      fc = list(24, test.c, m * n, true), fd = list(32, test.d, m * n, true);
    TestGrid gpu(
        kernel_text(4, 0,
                    "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; ld.param.u64 %rd3, [p2]; "
                    "ld.param.u64 %rd4, [p3]; mov.u32 %r1, 48;\n" +
                        begin + "a" + sync + word(a_rows) + shape + ".global." + test.ab + " " +
                        fa + ", [%rd1], %r1;\n" + begin + "b" + sync + word(b_rows) + shape + "." +
                        test.ab + " " + fb + ", [%rd2], 48;\n" + begin + "c" + sync + word(c_rows) +
                        shape + ".global." + test.c + " " + fc + ", [%rd3], %r1;\nwmma.mma" + sync +
                        word(a_rows) + word(b_rows) + shape + "." + test.types + " " + fd + ", " +
                        fa + ", " + fb + ", " + fc + ";\nwmma.store.d" + sync + word(d_rows) +
                        shape + ".global." + test.d + " [%rd4], " + fd + ", %r1;\nret;"));
    const DeviceAddress out = gpu.upload(in_memory(Numbers(m * n), m, n, test.d, d_rows, stride));
    const GridResult result =
        gpu.launch({1}, {32}, gpu.upload(in_memory(a, m, k, test.ab, a_rows, stride)),
                   gpu.upload(in_memory(b, k, n, test.ab, b_rows, stride)),
                   gpu.upload(in_memory(c, m, n, test.c, c_rows, stride)), out);
    ASSERT_EQ(result.error, 0) << first_message(result);
    EXPECT_TRUE(result.findings.empty()) << first_message(result);
    const std::uint32_t bytes = bytes_of(test.d);
    const auto memory =
        gpu.download<std::uint8_t>(out, std::size_t{d_rows ? m : n} * stride * bytes);
    Numbers actual(m * n);
    for (unsigned row = 0; row < m; ++row) {
      for (unsigned column = 0; column < n; ++column) {
        std::uint64_t bits = 0;
        const std::size_t at = d_rows ? row * stride + column : column * stride + row;
        std::memcpy(&bits, memory.data() + at * bytes, bytes);
        actual[row * n + column] = decode(test.d, bits);
      }
    }
    SCOPED_TRACE(shape + "." + test.types);
    expect_near(actual, expected, test.d);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Wmma, testing::Range<std::size_t>(0, std::size(wmma_cases)));

const char* const shared_setup = R"(
  .shared .align 16 .b8 tile[512];
  ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 16; add.u64 %rd3, %rd1, %rd2;
  mov.u32 %r2, tile; shl.b32 %r3, %r1, 4; add.u32 %r4, %r2, %r3;
)";

/// Half h of tile row r is 100 * r + h. Returns four words of each lane.
Words with_tile(const std::string& body) {
  TestGrid gpu(kernel_text(1, 0,
                           shared_setup + std::string(R"(
    mul.lo.u32 %r5, %r1, 100; mov.u32 %r6, 0;
  $fill: add.u32 %r7, %r5, %r6; shl.b32 %r8, %r6, 1; add.u32 %r9, %r4, %r8;
    st.shared.u16 [%r9], %r7; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 8; @%p1 bra $fill;
    bar.sync 0; mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0;)") +
                               body + "st.global.v4.u32 [%rd3], {%r10, %r11, %r12, %r13}; ret;"));
  const DeviceAddress out = gpu.upload(Words(128));
  const GridResult result = gpu.launch({1}, {32}, out);
  EXPECT_EQ(result.error, 0) << first_message(result);
  EXPECT_TRUE(result.findings.empty()) << first_message(result);
  return gpu.download<std::uint32_t>(out, 128);
}
std::uint32_t pair(unsigned low, unsigned high) { return low | high << 16; }

TEST(LdMatrix, RowsAndColumns) {
  const Words x4 =
      with_tile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r4];");
  const Words x2 =
      with_tile("ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%r10, %r11}, [%r4];");
  const Words x1 = with_tile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r4];");
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned across = lane / 4, along = lane % 4 * 2;
    for (unsigned matrix = 0; matrix < 4; ++matrix) {
      const unsigned first = (matrix * 8 + across) * 100 + along;
      EXPECT_EQ(x4[lane * 4 + matrix], pair(first, first + 1)) << lane;
      if (matrix > 1) continue;
      const unsigned turned = (matrix * 8 + along) * 100 + across;
      EXPECT_EQ(x2[lane * 4 + matrix], pair(turned, turned + 100)) << lane;
    }
    EXPECT_EQ(x1[lane * 4], x4[lane * 4]);
  }
}

TEST(LdMatrix, BackAndTransposed) {
  const Words stored = with_tile(R"(
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, [%r4]; bar.sync 0;
    stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%r4], {%r20, %r21, %r22, %r23}; bar.sync 0;
    ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r4];)");
  const Words moved = with_tile(R"(
    ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r4];
    movmatrix.sync.aligned.m8n8.trans.b16 %r10, %r20;)");
  for (unsigned row = 0; row < 32; ++row) {
    for (unsigned word = 0; word < 4; ++word) {  // row r of matrix m holds its column r
      const unsigned first = (row / 8 * 8 + word * 2) * 100 + row % 8;
      EXPECT_EQ(stored[row * 4 + word], pair(first, first + 100)) << row;
    }
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned first = lane % 4 * 2 * 100 + lane / 4;
    EXPECT_EQ(moved[lane * 4], pair(first, first + 100)) << lane;
  }
}

TEST(LdMatrix, CountsWavefronts) {
  const auto wavefronts = [](const std::string& address) {
    TestGrid gpu(kernel_text(1, 0,
                             ".shared .align 16 .b8 tile[8192]; mov.u32 %r1, %tid.x;\n"
                             "mov.u32 %r2, tile; " +
                                 address +
                                 "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, "
                                 "%r13}, [%r4]; ret;"));
    return gpu.launch({1}, {32}, gpu.upload(Words(1))).counters.shared_load_wavefronts;
  };
  EXPECT_EQ(wavefronts("shl.b32 %r3, %r1, 4; add.u32 %r4, %r2, %r3;"), 4u);
  EXPECT_EQ(wavefronts("shl.b32 %r3, %r1, 7; add.u32 %r4, %r2, %r3;"), 32u);
}

}  // namespace
}  // namespace gridstride::sim
