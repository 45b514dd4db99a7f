// Products of matrices in registers against sums in double precision, and what moves matrices.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>

#include "common/simulator/exec/half.h"
#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

using Words = std::vector<std::uint32_t>;
using Numbers = std::vector<double>;

/// One number in a type, and back.
std::uint64_t encode(const std::string& type, double number) {
  if (type == "f16") return lanes::to_half(number).bits;
  if (type == "bf16") return lanes::to_bfloat(number).bits;
  if (type == "f64") return std::bit_cast<std::uint64_t>(number);
  if (type == "f32" || type == "tf32") {
    return std::bit_cast<std::uint32_t>(static_cast<float>(number));
  }
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(number));
}
double decode(const std::string& type, std::uint64_t bits) {
  if (type == "f16") return lanes::to_float(lanes::Half{static_cast<std::uint16_t>(bits)});
  if (type == "bf16") return lanes::to_float(lanes::Bfloat{static_cast<std::uint16_t>(bits)});
  if (type == "f64") return std::bit_cast<double>(bits);
  if (type == "s8") return static_cast<std::int8_t>(bits);
  if (type == "u8") return static_cast<std::uint8_t>(bits);
  const auto word = static_cast<std::uint32_t>(bits);
  if (type == "tf32") return std::bit_cast<float>(word & 0xffffe000u);
  return type == "f32" ? std::bit_cast<float>(word) : static_cast<std::int32_t>(word);
}
std::uint32_t bytes_of(const std::string& type) {
  return type == "f64" ? 8 : type.ends_with("8") ? 1 : type.ends_with("f16") ? 2 : 4;
}
bool is_integer(const std::string& type) { return type == "s8" || type == "u8" || type == "s32"; }

/// Numbers as they come out of `type`, from a generator that is the same everywhere.
Numbers draw(std::size_t count, const std::string& type, std::uint32_t seed) {
  Numbers numbers(count);
  std::uint32_t state = seed;
  for (double& number : numbers) {
    state = state * 1664525u + 1013904223u;
    const double low = type == "u8" ? 0 : -1;
    const double unit = low + (state >> 8) / 16777216.0 * (1 - low);
    number = decode(type, encode(type, is_integer(type) ? std::floor(unit * 127) : unit));
  }
  return numbers;
}

/// c + a * b; a: m by k, b: k by n, by rows.
Numbers product(const Numbers& a, const Numbers& b, const Numbers& c, std::size_t m, std::size_t n,
                std::size_t k) {
  Numbers d = c;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t l = 0; l < k; ++l) d[i * n + j] += a[i * k + l] * b[l * n + j];
    }
  }
  return d;
}

void expect_near(const Numbers& actual, const Numbers& expected, const std::string& type) {
  const double unit = is_integer(type) ? 0
                      : type == "f16"  ? 0x1p-11
                      : type == "f64"  ? 1e-14
                                       : 0x1p-23;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_LE(std::abs(actual[i] - expected[i]), unit * std::max(1.0, std::abs(expected[i])))
        << "element " << i << ": " << actual[i] << " instead of " << expected[i];
  }
}

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

/// Text that loads or stores `registers` registers of a fragment at a pointer, and names them.
struct Registers {
  std::string list, loads, stores;
};
Registers registers(const char* prefix, int first, std::size_t count, const char* base, bool wide) {
  Registers text;
  for (std::size_t r = 0; r < count; ++r) {
    const std::string name = prefix + std::to_string(first + static_cast<int>(r));
    const std::string at = std::string("[") + base + "+" + std::to_string(r * 256) + "]";
    const char* const type = wide ? "b64 " : "b32 ";
    text.list += (r > 0 ? ", " : "") + name;
    text.loads += std::string("ld.global.") + type + name + ", " + at + ";\n";
    text.stores += std::string("st.global.") + type + at + ", " + name + ";\n";
  }
  text.list = "{" + text.list + "}";
  return text;
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
