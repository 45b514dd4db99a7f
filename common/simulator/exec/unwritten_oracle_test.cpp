// What is followed of unwritten bytes is compared with what they change: random programs that move and compute
// with what they load run again and again, each time with something else in the bytes that nobody has written. A
// byte that is stored depends on those where it comes out differently. Programs that only move whole bytes must
// leave just these bytes unwritten, wherever they have been in between; of others, those of which no byte
// depends must not be reported.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/base/pseudorandom.h"
#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

constexpr std::uint32_t lanes = 32, lane_bytes = 16, all_bytes = lanes * lane_bytes;
constexpr int fillings = 12;

/// The text of a kernel. p0: what is read; p1: what is stored; p2: numbers that have been written.
class MovingProgram {
 public:
  MovingProgram(std::uint64_t seed, bool only_moves) : state_(seed), only_moves_(only_moves) {
    add("mov.u32 %r38, %tid.x; shl.b32 %r39, %r38, 4; cvt.u64.u32 %rd39, %r39;");
    for (int i = 0; i < 3; ++i) {
      const std::string at = "%rd" + std::to_string(30 + i);
      add("ld.param.u64 " + at + ", [p" + std::to_string(i) + "]; add.u64 " + at + ", " + at +
          ", %rd39;");
    }
    add("mov.u32 %r37, in_shared; add.u32 %r37, %r37, %r39; mov.u64 %rd33, in_local;");
    for (int i = 0; i < 4; ++i) load_word(i);
    // Numbers that are not known before, and written.
    add("ld.global.v4.u32 {%r30, %r31, %r32, %r33}, [%rd32];");
    add("mov.b64 %rd0, {%r0, %r1}; mov.b64 %rd1, {%r2, %r3}; mov.b64 %rd2, {%r30, %r1}; mov.u32 "
        "%r4, %r31; mov.u32 %r5, %r33;");
    // What lies in shared and local memory has been copied there.
    add("ld.global.v2.u64 {%rd8, %rd9}, [%rd30]; st.shared.v2.u64 [%r37], {%rd8, %rd9};");
    add("ld.global.v2.u64 {%rd8, %rd9}, [%rd30]; st.local.v2.u64 [%rd33], {%rd8, %rd9};");
    const std::uint32_t steps = 2 + chance(8);
    for (std::uint32_t i = 0; i < steps; ++i) step();
    for (int i = 0; i < 4; ++i) store_word(i);
  }
  std::string text() const {
    std::string text = kernel_text(3, 0, body_, ".shared .align 16 .b8 in_shared[512];\n");
    return text.insert(text.find("{\n") + 2, ".local .align 16 .b8 in_local[16];\n");
  }
  std::string body() const { return body_; }

 private:
  std::uint32_t chance(std::uint32_t below) {
    return static_cast<std::uint32_t>(draw(state_) % below);
  }
  void add(const std::string& line) { body_ += line + "\n"; }
  std::string word() { return "%r" + std::to_string(chance(6)); }
  std::string number() { return "%r" + std::to_string(30 + chance(4)); }
  std::string wide() { return "%rd" + std::to_string(chance(3)); }
  std::string pick(std::initializer_list<const char*> of) {
    return of.begin()[chance(static_cast<std::uint32_t>(of.size()))];
  }
  /// A space, and where the lane's bytes are in it.
  /// What has been computed may not be stored in the others, whatever becomes of it.
  std::pair<std::string, std::string> memory(bool stores) {
    switch (stores && !only_moves_ ? 1 : chance(3)) {
      case 0:
        return {"shared", "%r37"};
      case 1:
        return {"local", "%rd33"};
      default:
        return {"global", stores ? "%rd31" : "%rd30"};
    }
  }
  std::string at(const std::string& base, std::uint32_t bytes) {
    return "[" + base + "+" + std::to_string(chance(lane_bytes / bytes) * bytes) + "]";
  }
  void load_word(int i) {
    add("ld.global.u32 %r" + std::to_string(i) + ", [%rd30+" + std::to_string(4 * i) + "];");
  }
  void store_word(int i) {
    add("st.global.u32 [%rd31+" + std::to_string(4 * i) + "], %r" + std::to_string(i) + ";");
  }

  void step() {
    const auto& [space, base] = memory(false);
    const auto& [to_space, to] = memory(true);
    switch (chance(only_moves_ ? 21 : 38)) {
      case 0:
        return add("ld." + space + ".u8 " + word() + ", " + at(base, 1) + ";");
      case 1:
        return add("ld." + space + ".u16 " + word() + ", " + at(base, 2) + ";");
      case 2:
        return add("ld." + space + ".u32 " + word() + ", " + at(base, 4) + ";");
      case 3:
        return add("ld." + space + ".u64 " + wide() + ", " + at(base, 8) + ";");
      case 4:
        return add("ld." + space + ".v2.u32 {%r0, %r3}, " + at(base, 8) + ";");
      case 5:
        return add("ld." + space + ".v4.u32 {%r1, %r2, %r3, %r4}, " + at(base, 16) + ";");
      case 6:
        return add("st." + to_space + ".u8 " + at(to, 1) + ", " + word() + ";");
      case 7:
        return add("st." + to_space + ".u16 " + at(to, 2) + ", " + word() + ";");
      case 8:
        return add("st." + to_space + ".u32 " + at(to, 4) + ", " + word() + ";");
      case 9:
        return add("st." + to_space + ".u64 " + at(to, 8) + ", " + wide() + ";");
      case 10:
        return add("st." + to_space + ".v4.u32 " + at(to, 16) + ", {%r0, %r1, %r2, %r5};");
      case 11:
        return add("mov.b64 " + wide() + ", {" + word() + ", " + word() + "};");
      case 12:
        return add("mov.b64 {%r0, %r5}, " + wide() + ";");
      case 13:
        return add(pick({"shl", "shr"}) + ".b32 " + word() + ", " + word() + ", " +
                   pick({"8", "16", "24", "0", "32", "40"}) + ";");
      case 14:
        return add(pick({"shl", "shr"}) + ".b64 " + wide() + ", " + wide() + ", " +
                   pick({"8", "24", "32", "40", "56"}) + ";");
      case 15:
        return add("and.b32 " + word() + ", " + word() + ", " +
                   pick({"255", "65535", "0xff00", "0xff0000ff"}) + ";");
      case 16:
        return add("prmt.b32 " + word() + ", " + word() + ", " + word() + ", " +
                   pick({"0x3210", "0x7531", "0x0123", "0x4400", "0x6543"}) + ";");
      case 17:
        return add("setp.lt.u32 %p1, " + number() + ", " + number() + "; selp.b32 " + word() +
                   ", " + word() + ", " + word() + ", %p1;");
      case 18:
        return add("cvt." + pick({"u32.u8 ", "u32.u16 "}) + word() + ", " + word() + ";");
      case 19:
        return add("bfi.b32 " + word() + ", " + word() + ", " + word() + ", " +
                   pick({"8, 8", "0, 16", "16, 16", "24, 8"}) + ";");
      case 20:
        return add("cvt.u64.u32 " + wide() + ", " + word() + ";");
      // From here on more than whole bytes.
      case 21:
        return add("bfe.u32 " + word() + ", " + word() + ", " +
                   pick({"8, 8", "3, 9", "16, 16", "24, 5"}) + ";");
      case 22:
        return add("lop3.b32 " + word() + ", " + word() + ", " + number() + ", " + word() + ", " +
                   pick({"0xca", "0x80", "0xfe", "0xf8", "0xe2"}) + ";");
      case 23:
        return add("shf." + pick({"l", "r"}) + ".wrap.b32 " + word() + ", " + word() + ", " +
                   word() + ", " + pick({"8", "16", "5"}) + ";");
      case 24:
        return add(pick({"and", "or", "xor"}) + ".b32 " + word() + ", " + word() + ", " + number() +
                   ";");
      case 25:
        return add(pick({"and", "or", "xor"}) + ".b32 " + word() + ", %r" +
                   std::to_string(chance(3)) + ", %r" + std::to_string(3 + chance(3)) + ";");
      case 26:
        return add(pick({"add", "sub"}) + ".u32 " + word() + ", " + word() + ", " + number() + ";");
      case 27:
        return add("mul.lo.u32 " + word() + ", " + word() + ", " +
                   pick({"256", "3", "65536", "0"}) + ";");
      case 28:
        return add("mad.lo.u32 " + word() + ", " + word() + ", 256, " + word() + ";");
      case 29:
        return add("shr.s32 " + word() + ", " + word() + ", " + pick({"4", "16", "31"}) + ";");
      // Of few bits, so that both answers come.
      case 30:
        return add("and.b32 %r29, " + word() + ", 0x101; and.b32 %r28, " + number() +
                   ", 0x101; setp." + pick({"eq", "ne", "lt", "gt"}) +
                   ".u32 %p2, %r29, %r28; selp.b32 " + word() + ", " + word() + ", " + number() +
                   ", %p2;");
      case 31:
        return add("and.b32 %r29, " + word() + ", 0x101; and.b32 %r28, " + number() +
                   ", 0x101; setp.lt.u32 %p1, " + number() + ", " + number() + "; setp." +
                   pick({"eq", "lt", "ge"}) + "." + pick({"and", "or"}) +
                   ".u32 %p2, %r29, %r28, %p1; selp.b32 " + word() + ", %r32, %r33, %p2;");
      case 32:
        return add("ld." + space + ".s8 " + word() + ", " + at(base, 1) + ";");
      case 33:
        return add("mul.wide.u32 " + wide() + ", " + word() + ", " + pick({"256", "4"}) + ";");
      case 34:
        return add("not.b32 " + word() + ", " + word() + ";");
      case 35:
        return add("bfi.b32 " + word() + ", " + number() + ", " + word() + ", " +
                   pick({"4, 8", "1, 3", "0, 32"}) + ";");
      case 36:
        return add("prmt.b32 " + word() + ", " + word() + ", " + word() + ", " +
                   pick({"0x8888", "0xba98", "0x3218"}) + ";");
      default:
        return add(pick({"brev.b32 ", "neg.s32 ", "abs.s32 ", "popc.b32 ", "cvt.s32.s8 "}) +
                   word() + ", " + word() + ";");
    }
  }

  std::uint64_t state_;
  bool only_moves_;
  std::string body_;
};

struct Verdict {
  std::vector<bool> depends = std::vector<bool>(all_bytes),
                    unwritten = std::vector<bool>(all_bytes);
  std::size_t findings = 0;
  std::string message;
};

Verdict run(std::uint64_t seed, const std::string& text) {
  TestGrid gpu(text);
  std::uint64_t state = seed * 77 + 5;
  std::vector<bool> written(all_bytes);
  const std::uint64_t pattern = draw(state) % 3;  // by bytes, words, or all lanes alike
  std::uint32_t of_lane = static_cast<std::uint32_t>(draw(state));
  for (std::uint32_t i = 0; i < all_bytes; ++i) {
    if (i % lane_bytes == 0 && pattern != 2) of_lane = static_cast<std::uint32_t>(draw(state));
    written[i] = (of_lane >> (pattern == 1 ? i % lane_bytes / 4 : i % lane_bytes) & 1) != 0;
  }
  std::vector<std::uint8_t> content(all_bytes), first;
  std::vector<std::uint32_t> numbers(lanes * 4);
  for (auto& byte : content) byte = static_cast<std::uint8_t>(draw(state));
  for (auto& number : numbers) number = static_cast<std::uint32_t>(draw(state)) >> draw(state) % 32;
  Verdict verdict;
  for (int filling = 0; filling < fillings; ++filling) {
    const auto fill = [&](DeviceAddress at, bool keeps_written) {
      std::byte* const host = gpu.memory.host(at);
      for (std::uint32_t i = 0; i < all_bytes; ++i) {
        const std::uint64_t any = filling == 0 ? 0 : filling == 1 ? 0xff : draw(state);
        host[i] = static_cast<std::byte>(keeps_written && written[i] ? content[i] : any);
        if (keeps_written && written[i])
          gpu.memory.initialised().set(at - GlobalMemory::base + i, 1);
      }
    };
    const DeviceAddress in = gpu.memory.allocate(all_bytes), out = gpu.memory.allocate(all_bytes);
    fill(in, true);
    fill(out, false);
    const GridResult result = gpu.launch({1}, {lanes}, in, out, gpu.upload(numbers));
    EXPECT_EQ(result.error, 0);
    const auto bytes = gpu.download<std::uint8_t>(out, all_bytes);
    if (filling == 0) {
      first = bytes;
      verdict.findings = result.findings.size();
      verdict.message = first_message(result);
      for (std::uint32_t i = 0; i < all_bytes; ++i)
        verdict.unwritten[i] = !gpu.memory.initialised().all(out - GlobalMemory::base + i, 1);
    }
    for (std::uint32_t i = 0; i < all_bytes; ++i)
      verdict.depends[i] = verdict.depends[i] || bytes[i] != first[i];
  }
  return verdict;
}

TEST(UnwrittenOracle, AgreesAboutWhatOnlyMoves) {
  std::size_t depending = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    const MovingProgram program(seed, true);
    const Verdict verdict = run(seed, program.text());
    ASSERT_EQ(verdict.findings, 0u) << "seed " << seed << ": " << verdict.message << "\n"
                                    << program.body();
    for (std::uint32_t i = 0; i < all_bytes; ++i) {
      ASSERT_EQ(verdict.unwritten[i], verdict.depends[i])
          << "seed " << seed << ", byte " << i % lane_bytes << " of lane " << i / lane_bytes << "\n"
          << program.body();
      depending += verdict.depends[i] ? 1 : 0;
    }
  }
  EXPECT_GT(depending, 2000u);
}

TEST(UnwrittenOracle, ReportsNothingThatDependsOnNothing) {
  std::size_t reported = 0, silent = 0, wrong = 0;
  std::string shortest;
  for (std::uint64_t seed = 1; seed <= 1200; ++seed) {
    const MovingProgram program(seed, false);
    const Verdict verdict = run(seed, program.text());
    const bool any = std::ranges::find(verdict.depends, true) != verdict.depends.end();
    if (verdict.findings == 0) {
      ++silent;
      continue;
    }
    if (any) ++reported;
    bool all_left_unwritten = true;
    for (std::uint32_t i = 0; i < all_bytes; ++i)
      all_left_unwritten = all_left_unwritten && (!verdict.depends[i] || verdict.unwritten[i]);
    if (all_left_unwritten) {
      ++wrong;
      const std::string text = verdict.message + "\n" + program.body();
      if (shortest.empty() || text.size() < shortest.size()) shortest = text;
    }
  }
  EXPECT_EQ(wrong, 0u) << shortest;
  EXPECT_GT(reported, 100u);
  EXPECT_GT(silent, 100u);
}

// Thrust's set operations look at what lies behind the elements that they have loaded, and use it for nothing.
TEST(UnwrittenOfLibraries, OnlyWhatTheyAreGivenIsReported) {
  const std::string body = R"(
    ld.param.u64 %rd1, [p0]; mov.u32 %r1, in_shared;
    ld.global.u32 %r2, [%rd1]; st.shared.u32 [%r1], %r2;
    ld.shared.u32 %r3, [%r1+OFFSET];
    setp.lt.u32 %p1, %r3, 5;
    @%p1 st.global.u32 [%rd1+4], 1;
    ret;)";
  const auto findings = [&](const std::string& name, const std::string& offset, bool written) {
    std::string text = kernel_text(1, 0, body, ".shared .align 16 .b8 in_shared[64];\n");
    text.replace(text.find("OFFSET"), 6, offset);
    text.replace(text.find(" k("), 3, " " + name + "(");
    TestGrid gpu(text);
    const DeviceAddress in = gpu.memory.allocate(64);
    if (written) gpu.memory.initialised().set(in - GlobalMemory::base, 4);
    return gpu.launch({1}, {1}, in).findings.size();
  };
  const std::string of_library = "_ZN6thrust6kernelEPi", own = "_ZN2my6kernelEPi";
  EXPECT_EQ(findings(own, "8", true), 1u);
  EXPECT_EQ(findings(of_library, "8", true), 0u);
  EXPECT_EQ(findings(of_library, "0", true), 0u);
  EXPECT_EQ(findings(of_library, "0", false), 1u);
}

}  // namespace
}  // namespace gridstride::sim
