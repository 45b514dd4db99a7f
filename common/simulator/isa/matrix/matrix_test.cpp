// Products of matrices in registers against sums in double precision.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "common/simulator/base/unsupported.h"
#include "common/simulator/exec/test_grid.h"
#include "common/simulator/isa/matrix/matrix_test_numbers.h"

namespace gridstride::sim {
namespace {

using Words = std::vector<std::uint32_t>;

// mma: the elements of a lane by the formulas of the PTX ISA; g is lane / 4, t is lane % 4.
struct Place {
  unsigned row, column;
};
using PlaceOf = std::function<Place(unsigned g, unsigned t, unsigned i)>;

struct MmaCase {
  const char* name;
  unsigned m, n, k;
  const char *a, *b, *c;
  PlaceOf in_a, in_b;
};

Place in_c(unsigned g, unsigned t, unsigned i) { return {i < 2 ? g : g + 8, t * 2 + (i & 1)}; }

const MmaCase mma_cases[] = {
    {"m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 8, "f16", "f16", "f32",
     [](unsigned g, unsigned t, unsigned i) {
       return Place{i < 2 ? g : g + 8, t * 2 + (i & 1)};
     },
     [](unsigned g, unsigned t, unsigned i) {
       return Place{t * 2 + i, g};
     }},
    {"m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, 8, "bf16", "bf16", "f32",
     [](unsigned g, unsigned t, unsigned i) {
       return Place{i < 2 ? g : g + 8, t * 2 + (i & 1)};
     },
     [](unsigned g, unsigned t, unsigned i) {
       return Place{t * 2 + i, g};
     }},
    {"m16n8k16.row.col.f16.f16.f16.f16", 16, 8, 16, "f16", "f16", "f16",
     [](unsigned g, unsigned t, unsigned i) {
       return Place{i % 4 < 2 ? g : g + 8, t * 2 + (i & 1) + (i < 4 ? 0 : 8)};
     },
     [](unsigned g, unsigned t, unsigned i) {
       return Place{t * 2 + (i & 1) + (i < 2 ? 0 : 8), g};
     }},
    {"m16n8k16.row.col.f32.bf16.bf16.f32", 16, 8, 16, "bf16", "bf16", "f32",
     [](unsigned g, unsigned t, unsigned i) {
       return Place{i % 4 < 2 ? g : g + 8, t * 2 + (i & 1) + (i < 4 ? 0 : 8)};
     },
     [](unsigned g, unsigned t, unsigned i) {
       return Place{t * 2 + (i & 1) + (i < 2 ? 0 : 8), g};
     }},
    {"m16n8k4.row.col.f32.tf32.tf32.f32", 16, 8, 4, "tf32", "tf32", "f32",
     [](unsigned g, unsigned t, unsigned i) {
       return Place{i == 0 ? g : g + 8, t};
     },
     [](unsigned g, unsigned t, unsigned) {
       return Place{t, g};
     }},
    {"m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, "tf32", "tf32", "f32",
     [](unsigned g, unsigned t, unsigned i) {
       return Place{i % 2 == 0 ? g : g + 8, i < 2 ? t : t + 4};
     },
     [](unsigned g, unsigned t, unsigned i) {
       return Place{i == 0 ? t : t + 4, g};
     }},
    {"m8n8k16.row.col.s32.s8.u8.s32", 8, 8, 16, "s8", "u8", "s32",
     [](unsigned g, unsigned t, unsigned i) {
       return Place{g, t * 4 + i};
     },
     [](unsigned g, unsigned t, unsigned i) {
       return Place{t * 4 + i, g};
     }},
    {"m16n8k32.row.col.s32.u8.s8.s32", 16, 8, 32, "u8", "s8", "s32",
     [](unsigned g, unsigned t, unsigned i) {
       return Place{i % 8 < 4 ? g : g + 8, t * 4 + (i & 3) + (i < 8 ? 0 : 16)};
     },
     [](unsigned g, unsigned t, unsigned i) {
       return Place{t * 4 + (i & 3) + (i < 4 ? 0 : 16), g};
     }},
    {"m8n8k4.row.col.f64.f64.f64.f64", 8, 8, 4, "f64", "f64", "f64",
     [](unsigned g, unsigned t, unsigned) {
       return Place{g, t};
     },
     [](unsigned g, unsigned t, unsigned) {
       return Place{t, g};
     }},
};

/// A fragment as a device array: 8 bytes for register r of lane l at [r * 32 + l].
std::vector<std::uint64_t> fragment_of(const Numbers& matrix, unsigned columns,
                                       const std::string& type, std::size_t elements,
                                       const PlaceOf& place) {
  const std::uint32_t bytes = bytes_of(type), per = bytes >= 4 ? 1 : 4 / bytes;
  std::vector<std::uint64_t> words((elements + per - 1) / per * 32);
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < elements; ++i) {
      const auto [row, column] = place(lane / 4, lane % 4, i);
      const std::uint64_t mask = bytes == 8 ? ~0ull : (1ull << (8 * bytes)) - 1;
      words[i / per * 32 + lane] |= (encode(type, matrix[row * columns + column]) & mask)
                                    << (8 * bytes * (i % per));
    }
  }
  return words;
}

/// Runs mma NAME on fragments; returns that of D.
std::vector<std::uint64_t> run_mma(const std::string& name, const std::vector<std::uint64_t>& a,
                                   const std::vector<std::uint64_t>& b,
                                   const std::vector<std::uint64_t>& c, bool wide,
                                   std::size_t results) {
  const char* const prefix = wide ? "%rd" : "%r";
  const Registers ra = registers(prefix, 10, a.size() / 32, "%rd1", wide);
  const Registers rb = registers(prefix, 18, b.size() / 32, "%rd2", wide);
  const Registers rc = registers(prefix, 22, c.size() / 32, "%rd3", wide);
  const Registers rd = registers(prefix, 30, results, "%rd4", wide);
  TestGrid gpu(kernel_text(4, 0,
                           "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; ld.param.u64 %rd3, "
                           "[p2]; ld.param.u64 %rd4, [p3];\nmov.u32 %r1, %tid.x; mul.wide.u32 "
                           "%rd5, %r1, 8;\nadd.u64 %rd1, %rd1, %rd5; add.u64 %rd2, %rd2, %rd5; "
                           "add.u64 %rd3, %rd3, %rd5; add.u64 %rd4, %rd4, %rd5;\n" +
                               ra.loads + rb.loads + rc.loads + "mma.sync.aligned." + name + " " +
                               rd.list + ", " + ra.list + ", " + rb.list + ", " + rc.list + ";\n" +
                               rd.stores + "ret;"));
  const DeviceAddress out = gpu.upload(std::vector<std::uint64_t>(results * 32));
  const GridResult result = gpu.launch({1}, {32}, gpu.upload(a), gpu.upload(b), gpu.upload(c), out);
  EXPECT_EQ(result.error, 0) << first_message(result);
  return gpu.download<std::uint64_t>(out, results * 32);
}

class Mma : public testing::TestWithParam<std::size_t> {};

TEST_P(Mma, IsTheProduct) {
  const MmaCase& test = mma_cases[GetParam()];
  SCOPED_TRACE(test.name);
  const Numbers a = draw(test.m * test.k, test.a, 1), b = draw(test.k * test.n, test.b, 2),
                c = draw(test.m * test.n, test.c, 3);
  const std::size_t of_c = test.m * test.n / 32;
  const auto fc = fragment_of(c, test.n, test.c, of_c, in_c);
  const auto d = run_mma(test.name, fragment_of(a, test.k, test.a, test.m * test.k / 32, test.in_a),
                         fragment_of(b, test.n, test.b, test.k * test.n / 32, test.in_b), fc,
                         bytes_of(test.c) == 8, fc.size() / 32);
  Numbers actual(test.m * test.n);
  const std::uint32_t bytes = bytes_of(test.c), per = bytes >= 4 ? 1 : 4 / bytes;
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < of_c; ++i) {
      const auto [row, column] = in_c(lane / 4, lane % 4, i);
      actual[row * test.n + column] =
          decode(test.c, d[i / per * 32 + lane] >> (8 * bytes * (i % per)));
    }
  }
  expect_near(actual, product(a, b, c, test.m, test.n, test.k), test.c);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Mma, testing::Range<std::size_t>(0, std::size(mma_cases)));

TEST(Mma, IntegersWrapAroundOrStay) {
  const std::vector<std::uint64_t> ones(32, 0x01010101), twos(32, 0x02020202),
      large(64, 0x7ffffff0);
  EXPECT_EQ(run_mma("m8n8k16.row.col.s32.s8.s8.s32", ones, twos, large, false, 2)[0] & ~0u,
            0x80000010u);
  EXPECT_EQ(run_mma("m8n8k16.row.col.satfinite.s32.s8.s8.s32", ones, twos, large, false, 2)[0],
            0x7fffffffu);
}

/// Volta's product: four of 8 by 8 by 4, each of two groups of four lanes.
TEST(Mma, FourProductsOfQuads) {
  for (const bool a_by_rows : {true, false}) {
    for (const bool b_by_rows : {true, false}) {
      std::vector<std::uint64_t> fa(64), fb(64), fc(256);
      Numbers a[4], b[4], c[4];
      for (unsigned quad = 0; quad < 4; ++quad) {
        a[quad] = draw(32, "f16", quad + 1);
        b[quad] = draw(32, "f16", quad + 5);
        c[quad] = draw(64, "f32", quad + 9);
      }
      // By the PTX ISA: x is the lane's number within its four, more by 4 in the upper half.
      const auto place_of_c = [](unsigned lane, unsigned i) {
        return Place{(lane & 1) + (i & 2) + (lane < 16 ? 0 : 4), (i & 4) + (lane & 2) + (i & 1)};
      };
      for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned quad = lane % 16 / 4, x = lane % 4 + (lane < 16 ? 0 : 4), y = lane % 4;
        for (unsigned i = 0; i < 4; ++i) {
          const unsigned more = i + (lane < 16 ? 0 : 4);
          const double of_a = a_by_rows ? a[quad][x * 4 + i] : a[quad][more * 4 + y];
          const double of_b = b_by_rows ? b[quad][y * 8 + more] : b[quad][i * 8 + x];
          fa[i / 2 * 32 + lane] |= encode("f16", of_a) << (16 * (i % 2));
          fb[i / 2 * 32 + lane] |= encode("f16", of_b) << (16 * (i % 2));
        }
        for (unsigned i = 0; i < 8; ++i) {
          const auto [row, column] = place_of_c(lane, i);
          fc[i * 32 + lane] = encode("f32", c[quad][row * 8 + column]);
        }
      }
      const std::string name = std::string("m8n8k4.") + (a_by_rows ? "row." : "col.") +
                               (b_by_rows ? "row." : "col.") + "f32.f16.f16.f32";
      const auto d = run_mma(name, fa, fb, fc, false, 8);
      for (unsigned quad = 0; quad < 4; ++quad) {
        Numbers actual(64);
        for (unsigned lane = 0; lane < 32; ++lane) {
          if (lane % 16 / 4 != quad) continue;
          for (unsigned i = 0; i < 8; ++i) {
            const auto [row, column] = place_of_c(lane, i);
            actual[row * 8 + column] = decode("f32", d[i * 32 + lane]);
          }
        }
        SCOPED_TRACE(name);
        expect_near(actual, product(a[quad], b[quad], c[quad], 8, 8, 4), "f32");
      }
    }
  }
}

TEST(Matrices, LanesMayNotBeMissing) {
  TestGrid gpu(kernel_text(1, 0, R"(
    mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 5; @%p1 bra $end;
    mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r2, %r3}, {%r4},
      {%f1, %f2, %f3, %f4};
  $end: ret;)"));
  const GridResult result = gpu.launch({1}, {32}, gpu.upload(Words(1)));
  EXPECT_EQ(result.error, 719);
  EXPECT_NE(first_message(result).find("without the other threads of its warp"), std::string::npos)
      << first_message(result);
}

TEST(Matrices, LanesWaitForOneAnother) {
  // Lane 0 of the first block waits long for the second block; the others are there before.
  TestGrid gpu(kernel_text(2, 0, R"(
    ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
    setp.ne.u32 %p1, %r2, 0; @%p1 bra $second;
    setp.ne.u32 %p2, %r1, 0; @%p2 bra $meet;
  $poll: ld.acquire.gpu.u32 %r3, [%rd1]; setp.eq.u32 %p3, %r3, 0; @%p3 bra $poll;
  $meet: mov.u32 %r4, 0x3c003c00; mov.f32 %f1, 0f00000000;
    mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r4, %r4}, {%r4},
      {%f1, %f1, %f1, %f1};
    mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd2, %rd3; st.global.f32 [%rd4], %f1; ret;
  $second: mov.u32 %r5, 1; st.release.gpu.u32 [%rd1], %r5; ret;)"));
  const DeviceAddress flag = gpu.upload(Words{0}), out = gpu.upload(std::vector<float>(32));
  const GridResult result = gpu.launch({2}, {32}, flag, out);
  EXPECT_EQ(result.error, 0) << first_message(result);
  EXPECT_EQ(gpu.download<float>(out, 32), std::vector<float>(32, 8.0f));
}

TEST(Matrices, ALaneThatNeverComesIsNamed) {
  TestGrid gpu(kernel_text(1, 0, R"(
    mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 5; @%p1 bra $other;
    .loc 1 7 1
    movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r3; ret;
  $other: bar.sync 0; ret;)",
                           ".file 1 \"kernel.cu\"\n"));
  const GridResult result = gpu.launch({1}, {32}, gpu.upload(Words(1)));
  EXPECT_EQ(result.error, 719);
  EXPECT_NE(first_message(result).find("movmatrix.sync.aligned.m8n8.trans.b16 in line 7"),
            std::string::npos)
      << first_message(result);
}

TEST(Matrices, ReadsOutsideAreFound) {
  TestGrid gpu(kernel_text(1, 0, R"(
    ld.param.u64 %rd1, [p0];
    wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8},
      [%rd1], 16; ret;)"));
  EXPECT_EQ(gpu.launch({1}, {32}, gpu.upload(Words(128))).error, 0);
  EXPECT_EQ(gpu.launch({1}, {32}, gpu.upload(Words(127))).error, 700);
}

TEST(Matrices, FragmentsAreLoadedAsTheHardwareDoes) {
  TestGrid gpu(kernel_text(1, 0, R"(
    ld.param.u64 %rd1, [p0];
    wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8},
      [%rd1], 16; ret;)"));
  const GridResult result = gpu.launch({1}, {32}, gpu.upload(Words(128)));
  EXPECT_EQ(result.counters.global_load_requests, 4u);
  EXPECT_EQ(result.counters.global_load_sectors, 32u);
}

TEST(Matrices, WhatIsNotKnownIsRefusedByName) {
  for (const char* line :
       {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, "
        "%r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};",
        "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%r1, %r2}, {%r3}, {%r4}, {%r5, %r6};",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, "
        "{%r3, %r4}, {%f1, %f2, %f3, %f4}, %r5, 0;",
        "mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, "
        "%r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r5, "
        "%r6}, {%f1, %f2, %f3, %f4};",
        "wgmma.fence.sync.aligned;", "tcgen05.wait::ld.sync.aligned;"}) {
    TestGrid gpu(kernel_text(1, 0, std::string(line) + " ret;"));
    try {
      gpu.launch({1}, {32}, gpu.upload(Words(1)));
      ADD_FAILURE() << line << " ran";
    } catch (const Unsupported& error) {
      const std::string name = std::string(line).substr(0, std::string(line).find_first_of(" ;"));
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace gridstride::sim
