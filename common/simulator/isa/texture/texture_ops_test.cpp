// Texture and surface instructions: operands, counting, and what is refused.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/base/unsupported.h"
#include "common/simulator/exec/test_grid.h"
#include "common/simulator/texture/texture_registry.h"

namespace gridstride::sim {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr TexelFormat word{TexelKind::unsigned_integer, 32, 1};

/// A grid with one array of 64 x 64 words, texel (x, y) being 100 * y + x, as a texture and as a
/// surface.
class TextureGrid : public TestGrid {
 public:
  explicit TextureGrid(const std::string& body) : TestGrid(kernel_text(2, 0, setup + body)) {
    array = registry.add_array({.format = word, .width = 64, .height = 64, .surface = true});
    texture = registry.add_texture({.array = array});
    surface = registry.add_surface(array);
    for (std::uint32_t y = 0; y < 64; ++y) {
      for (std::uint32_t x = 0; x < 64; ++x) {
        const std::uint32_t value = 100 * y + x;
        const DeviceAddress texel = registry.surface(surface)->texel(x, y, 0);
        std::memcpy(memory.host(texel), &value, sizeof value);
        memory.initialised().set(texel - GlobalMemory::base, sizeof value);
      }
    }
    request.textures = &registry;
    out = upload(Words(32, 0));
  }

  GridResult run(ObjectId object) { return launch({1}, {32}, object, out); }
  Words results() const { return download<std::uint32_t>(out, 32); }

  static constexpr const char* setup = R"(
    ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd2, %rd3;
  )";

  TextureRegistry registry{memory};
  ArrayId array = 0;
  ObjectId texture = 0, surface = 0;
  DeviceAddress out = 0;
};

/// Fetches texel (x, y) of registers %r2, %r3.
const std::string fetch = R"(
  cvt.rn.f32.u32 %f1, %r2; cvt.rn.f32.u32 %f2, %r3;
  tex.2d.v4.u32.f32 {%r4, %r5, %r6, _}, [%rd1, {%f1, %f2}];
  st.global.u32 [%rd3], %r4; ret;)";

TEST(TextureOps, ASquareTouchesFewerSectorsThanARow) {
  TextureGrid square("and.b32 %r2, %r1, 7; shr.u32 %r3, %r1, 3;" + fetch);
  const GridResult a = square.run(square.texture);
  ASSERT_EQ(a.error, 0) << first_message(a);
  EXPECT_EQ(square.results()[9], 101u);
  EXPECT_EQ(a.counters.texture_requests, 1u);
  EXPECT_EQ(a.counters.texture_sectors, 4u);
  EXPECT_EQ(a.counters.global_load_requests, 0u);

  TextureGrid row("mov.u32 %r2, %r1; mov.u32 %r3, 5;" + fetch);
  const GridResult b = row.run(row.texture);
  EXPECT_EQ(row.results()[31], 531u);
  EXPECT_EQ(b.counters.texture_sectors, 8u);
  EXPECT_EQ(b.counters.dram_read_sectors, 8u);

  TextureGrid same("mov.u32 %r2, 1; mov.u32 %r3, 5;" + fetch);
  EXPECT_EQ(same.run(same.texture).counters.texture_sectors, 1u);
}

TEST(TextureOps, WhatABlockFetchesAgainIsInTheL1) {
  const std::string again = R"(
    and.b32 %r2, %r1, 7; shr.u32 %r3, %r1, 3; cvt.rn.f32.u32 %f1, %r2; cvt.rn.f32.u32 %f2, %r3;
    tex.2d.v4.u32.f32 {%r4, %r5, %r6, _}, [%rd1, {%f1, %f2}];)";
  const auto run = [&](std::uint64_t l1_bytes) {
    TextureGrid grid(again + again + "st.global.u32 [%rd3], %r4; ret;");
    grid.request.l1_bytes = l1_bytes;
    return grid.run(grid.texture).counters;
  };
  const Counters with = run(1 << 16), without = run(0);
  EXPECT_EQ(with.texture_sectors, 8u);
  EXPECT_EQ(with.texture_hit_sectors, 4u);
  EXPECT_EQ(with.l2_read_lines, 1u);
  EXPECT_EQ(without.texture_hit_sectors, 0u);
  EXPECT_EQ(without.l2_read_lines, 2u);
}

/// model/measure/textures.csv: 8 cycles for a fetch of a warp, filtered four floats 32, and 18 where each lane
/// wants a line of its own.
TEST(TextureOps, TheTextureUnitTakesFourLanesACycle) {
  TextureGrid square("and.b32 %r2, %r1, 7; shr.u32 %r3, %r1, 3;" + fetch);
  EXPECT_EQ(square.run(square.texture).counters.texture_passes, 8u);
  TextureGrid apart(
      "and.b32 %r2, %r1, 7; shl.b32 %r2, %r2, 3; shr.u32 %r3, %r1, 3;"
      "shl.b32 %r3, %r3, 2;" +
      fetch);
  EXPECT_EQ(apart.run(apart.texture).counters.texture_passes, 19u);
  TextureGrid four(
      "and.b32 %r2, %r1, 7; shr.u32 %r3, %r1, 3; cvt.rn.f32.u32 %f1, %r2;"
      "cvt.rn.f32.u32 %f2, %r3; tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f1, %f2}];"
      "st.global.f32 [%rd3], %f4; ret;");
  const ArrayId wide =
      four.registry.add_array({.format = {TexelKind::floating, 32, 4}, .width = 64, .height = 64});
  four.request.checks = checks_named("none");
  EXPECT_EQ(
      four.run(four.registry.add_texture({.array = wide, .linear = true})).counters.texture_passes,
      32u);
  EXPECT_EQ(four.run(four.registry.add_texture({.array = wide})).counters.texture_passes, 16u);
}

TEST(TextureOps, GathersFourTexels) {
  TextureGrid gpu(R"(
    mov.f32 %f1, 0f40000000; mov.f32 %f2, 0f40400000;
    tld4.r.2d.v4.u32.f32 {%r4, %r5, %r6, %r7}, [%rd1, {%f1, %f2}];
    setp.eq.u32 %p1, %r1, 1; @%p1 mov.u32 %r4, %r5;
    setp.eq.u32 %p1, %r1, 2; @%p1 mov.u32 %r4, %r6;
    setp.eq.u32 %p1, %r1, 3; @%p1 mov.u32 %r4, %r7;
    st.global.u32 [%rd3], %r4; ret;)");
  ASSERT_EQ(gpu.run(gpu.texture).error, 0);
  const Words got = gpu.results();
  EXPECT_EQ(Words(got.begin(), got.begin() + 4), (Words{301, 302, 202, 201}));
}

TEST(TextureOps, AnswerForTheirExtents) {
  TextureGrid gpu(R"(
    txq.width.b32 %r4, [%rd1]; txq.height.b32 %r5, [%rd1]; mad.lo.u32 %r4, %r4, 1000, %r5;
    st.global.u32 [%rd3], %r4; ret;)");
  ASSERT_EQ(gpu.run(gpu.texture).error, 0);
  EXPECT_EQ(gpu.results()[7], 64064u);
}

TEST(TextureOps, LanesMayHaveObjectsOfTheirOwn) {
  TextureGrid gpu(
      "and.b32 %r4, %r1, 1; cvt.u64.u32 %rd4, %r4; mul.lo.u64 %rd4, %rd4, 2;"
      "add.u64 %rd1, %rd1, %rd4; mov.u32 %r2, 3; mov.u32 %r3, 2;" +
      fetch);
  const ObjectId other = gpu.registry.add_texture({.array = gpu.array});
  ASSERT_EQ(other, gpu.texture + 2);
  ASSERT_EQ(gpu.run(gpu.texture).error, 0);
  EXPECT_EQ(gpu.results(), Words(32, 203));
  gpu.registry.remove_texture(other);
  const GridResult result = gpu.run(gpu.texture);
  EXPECT_EQ(result.error, 700);
  EXPECT_NE(first_message(result).find("Thread (1, 0, 0)"), std::string::npos);
}

TEST(TextureOps, FreedMemoryBehindATextureIsSeen) {
  TextureGrid gpu(R"(
    tex.1d.v4.u32.s32 {%r4, _, _, _}, [%rd1, {%r1}]; st.global.u32 [%rd3], %r4; ret;)");
  const DeviceAddress memory = gpu.upload(Words(40, 7));
  const ObjectId texture =
      gpu.registry.add_texture({.address = memory, .width = 20, .format = word});
  ASSERT_EQ(gpu.run(texture).error, 0);
  EXPECT_EQ(gpu.results()[19], 7u);
  EXPECT_EQ(gpu.results()[20], 0u);
  gpu.memory.release(memory);
  const GridResult result = gpu.run(texture);
  EXPECT_EQ(result.error, 700);
  EXPECT_EQ(result.findings.at(0).kind, FindingKind::use_after_free);
}

TEST(SurfaceOps, WritesAreCountedAndKeepTheirNeighbours) {
  TextureGrid gpu(R"(
    shl.b32 %r2, %r1, 3; mov.u32 %r3, 9; mov.u32 %r4, 5;
    sust.b.2d.b32.trap [%rd1, {%r2, %r3}], {%r4};
    suld.b.2d.v2.b32.trap {%r5, %r6}, [%rd1, {%r2, %r3}];
    add.u32 %r5, %r5, %r6; st.global.u32 [%rd3], %r5; ret;)");
  const GridResult result = gpu.run(gpu.surface);
  ASSERT_EQ(result.error, 0) << first_message(result);
  EXPECT_EQ(gpu.results()[4], 5u + 909);
  EXPECT_EQ(result.counters.texture_requests, 2u);
  EXPECT_EQ(result.counters.texture_sectors, 32u);
}

TEST(SurfaceOps, ReduceInPlace) {
  for (const auto& [operation, expected] :
       {std::pair{"max.2d.s32", 31u}, {"min.2d.s32", 0u}, {"or.2d.b32", 31u}}) {
    TextureGrid gpu("mov.u32 %r2, 0; sured.b." + std::string(operation) +
                    ".zero [%rd1, {%r2, %r2}], %r1; suld.b.2d.b32.zero %r5, [%rd1, {%r2, %r2}];"
                    "st.global.u32 [%rd3], %r5; ret;");
    ASSERT_EQ(gpu.run(gpu.surface).error, 0) << operation;
    EXPECT_EQ(gpu.results()[0], expected) << operation;
  }
}

TEST(SurfaceOps, MisalignedColumnsStopTheKernel) {
  TextureGrid gpu("suld.b.2d.b32.zero %r5, [%rd1, {%r1, %r1}]; ret;");
  const GridResult result = gpu.run(gpu.surface);
  EXPECT_EQ(result.error, 716);
  EXPECT_NE(first_message(result).find("Thread (1, 0, 0)"), std::string::npos);
}

TEST(SurfaceOps, ATextureIsNoSurface) {
  TextureGrid gpu("suld.b.2d.b32.zero %r5, [%rd1, {%r1, %r1}]; ret;");
  EXPECT_NE(first_message(gpu.run(gpu.texture)).find("which it is not"), std::string::npos);
}

TEST(TextureOps, WhatIsNotKnownIsRefusedByName) {
  for (const char* body : {
           "tex.2d.v4.f16.f32 {%h1, %h2, %h3, %h4}, [%rd1, {%f1, %f2}];",
           "tex.2d.v4.f32.f32 {%f1, %f2, %f3}, [%rd1, {%f1, %f2}];",
           "tex.2d.v4.f32.f32 {%fd1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}];",
           "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%r1, {%f1, %f2}];",
           "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1}];",
           "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%fd1, %f2}];",
           "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1+8, {%f1, %f2}];",
           "tex.2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r2, %r3, %r4}];",
           "tld4.r.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2, %f3, %f4}];",
           "txq.num_mipmap_levels.b32 %r1, [%rd1];",
           "suld.b.2d.b32.trap %rd5, [%rd1, {%r1, %r2}];",
           "suld.b.cube.b32.trap %r5, [%rd1, {%r1, %r2, %r3, %r4}];",
           "sust.p.2d.v4.b32.trap [%rd1, {%r1, %r2}], {%r1, %r2, %r3, %r4};",
           "sust.b.2d.v4.b64.trap [%rd1, {%r1, %r2}], {%rd1, %rd2, %rd3, %rd4};",
           "sured.b.xor.2d.b32.trap [%rd1, {%r1, %r2}], %r3;",
       }) {
    TextureGrid gpu(std::string(body) + " ret;");
    try {
      gpu.run(gpu.texture);
      ADD_FAILURE() << "it ran: " << body;
    } catch (const Unsupported& error) {
      const std::string text = error.what();
      const std::string opcode(body, std::string_view(body).find(' '));
      EXPECT_NE(text.find(opcode), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace gridstride::sim
