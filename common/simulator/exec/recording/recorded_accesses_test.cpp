// What is recorded of each way to touch memory: places, bytes, values, and the turns of atomics.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/simulator/exec/test_grid.h"
#include "common/simulator/exec/trace_recorder.h"
#include "common/simulator/texture/texture_registry.h"

namespace gridstride::sim {
namespace {

using Words = std::vector<std::uint32_t>;
using Values = std::vector<std::uint64_t>;

/// %rd1: input, words that are 1000 and on, this thread's at %rd3; %rd2: output, at %rd4; %r1: thread; %r2: tile in
/// shared memory, this thread's word at %r4.
const char* const setup = R"(
  .shared .align 16 .b8 tile[2048];
  ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd5, %r1, 4; add.u64 %rd3, %rd1, %rd5; add.u64 %rd4, %rd2, %rd5;
  mov.u32 %r2, tile; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3;
)";

class RecordedAccesses : public testing::Test {
 protected:
  /// Runs one block and records it whole. Its writes, replayed, are what stands in memory at the end.
  const Trace& record(const std::string& body, std::uint32_t threads = 32) {
    grid_.emplace(kernel_text(2, 0, setup + body + "\nret;"));
    Words numbers(512);
    for (std::uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = 1000 + i;
    in_ = grid_->upload(numbers);
    out_ = grid_->upload(Words(512, 0));
    return launch(threads, in_, out_);
  }
  const Trace& launch(std::uint32_t threads, std::uint64_t first, std::uint64_t second) {
    recorder_.emplace(TraceRequest{});
    grid_->request.recorder = &*recorder_;
    const GridResult result = grid_->launch({1}, {threads}, first, second);
    EXPECT_EQ(result.error, 0) << first_message(result);
    const Trace& trace = *recorder_->trace();
    EXPECT_EQ(differing(trace), 0u);
    EXPECT_EQ(to_json(trace_of(to_json(trace))), to_json(trace));
    return trace;
  }
  static std::size_t differing(const Trace& trace) {
    std::map<std::pair<TraceSpace, std::uint64_t>, std::uint8_t> image;
    for (const TraceStep& step : trace.steps) {
      for (const TraceAccess& access : step.accesses) {
        if (access.kind == TraceKind::load) continue;
        const Values& values = access.kind == TraceKind::atomic ? access.after : access.values;
        for (std::size_t i = 0; i < values.size(); ++i) {
          for (std::uint32_t byte = 0; byte < access.bytes; ++byte)
            image[{access.space, access.places[i / access.count] + i % access.count * access.bytes +
                                     byte}] = static_cast<std::uint8_t>(values[i] >> 8 * byte);
        }
      }
    }
    return static_cast<std::size_t>(std::ranges::count_if(trace.end, [&](const TraceEnd& end) {
      const auto found = image.find({end.space, end.place});
      return found == image.end() || found->second != end.value;
    }));
  }
  /// The only step whose instruction begins with `text`.
  const TraceStep& step_of(const std::string& text) const {
    const TraceStep* found = nullptr;
    for (const TraceStep& step : recorder_->trace()->steps) {
      if (!recorder_->trace()->ops[step.op].text.starts_with(text)) continue;
      EXPECT_EQ(found, nullptr) << text << " is there twice";
      found = &step;
    }
    static const TraceStep none;
    EXPECT_NE(found, nullptr) << text;
    return found ? *found : none;
  }
  const TraceOp& op_of(const TraceStep& step) const { return recorder_->trace()->ops[step.op]; }
  /// "global load 4x1".
  static std::string kind_text(const TraceAccess& access) {
    return std::string(name_of(access.space)) + ' ' + name_of(access.kind) + ' ' +
           std::to_string(access.bytes) + 'x' + std::to_string(access.count);
  }

  std::optional<TestGrid> grid_;
  std::optional<TraceRecorder> recorder_;
  std::uint64_t in_ = 0, out_ = 0;
};

TEST_F(RecordedAccesses, LoadsAndStoresOfVectors) {
  record(R"(
    and.b32 %r5, %r1, 3; mul.wide.u32 %rd6, %r5, 16; add.u64 %rd6, %rd1, %rd6;
    ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%rd6];
    setp.lt.u32 %p1, %r1, 2; @%p1 st.global.v2.u32 [%rd2+64], {%r6, %r9};)");
  const TraceAccess& load = step_of("ld.global.v4").accesses.at(0);
  EXPECT_EQ(kind_text(load), "global load 4x4");
  EXPECT_EQ(load.places[5], in_ + 16);
  EXPECT_EQ(Values(load.values.begin() + 4, load.values.begin() + 8),
            (Values{1004, 1005, 1006, 1007}));
  EXPECT_EQ(load.registers, op_of(step_of("ld.global.v4")).writes);
  // Both lanes store to one place: what each brought is there, and the last one's stays.
  const TraceAccess& store = step_of("@%p1 st.global").accesses.at(0);
  EXPECT_EQ(store.lanes, 3u);
  EXPECT_EQ(store.values, (Values{1000, 1003, 1004, 1007}));
}

TEST_F(RecordedAccesses, AsynchronousCopiesAreRecordedWhenTheyBegin) {
  record(R"(
    mul.wide.u32 %rd6, %r1, 16; add.u64 %rd6, %rd1, %rd6;
    shl.b32 %r5, %r1, 4; add.u32 %r5, %r2, %r5;
    setp.lt.u32 %p1, %r1, 3; mov.u32 %r6, 12;
    @%p1 cp.async.cg.shared.global [%r5], [%rd6], 16, %r6;
    cp.async.wait_all;)");
  const TraceStep& copy = step_of("@%p1 cp.async.cg");
  EXPECT_EQ(op_of(copy).kind, TraceKind::copy);
  EXPECT_GT(copy.arrives, copy.cycle);
  // 12 bytes come in two requests, the last 4 of the 16 become 0.
  ASSERT_EQ(copy.accesses.size(), 3u);
  EXPECT_EQ(kind_text(copy.accesses[0]), "global load 4x2");
  EXPECT_EQ(copy.accesses[0].lanes, 7u);
  EXPECT_EQ(copy.accesses[0].places, (Values{in_, in_ + 16, in_ + 32}));
  EXPECT_EQ(copy.accesses[0].values, (Values{1000, 1001, 1004, 1005, 1008, 1009}));
  EXPECT_EQ(kind_text(copy.accesses[1]), "global load 4x1");
  EXPECT_EQ(copy.accesses[1].places, (Values{in_ + 8, in_ + 24, in_ + 40}));
  EXPECT_EQ(kind_text(copy.accesses[2]), "shared store 4x4");
  EXPECT_EQ(copy.accesses[2].places, (Values{0, 16, 32}));
  EXPECT_EQ(copy.accesses[2].values,
            (Values{1000, 1001, 1002, 0, 1004, 1005, 1006, 0, 1008, 1009, 1010, 0}));
  EXPECT_EQ(op_of(step_of("cp.async.wait_all")).kind, TraceKind::compute);
}

TEST_F(RecordedAccesses, BulkCopiesAreRecordedInPiecesOf16Bytes) {
  record(R"(
    .shared .align 8 .b64 barrier; mov.u32 %r10, barrier; setp.eq.u32 %p1, %r1, 0;
    @%p1 mbarrier.init.shared.b64 [%r10], 1;
    bar.sync 0;
    @%p1 mbarrier.arrive.expect_tx.shared.b64 %rd6, [%r10], 32;
    @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 32, [%r10];
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p2, [%r10], 0; @!%p2 bra WAIT;
    @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], 16;
    @%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;)");
  const TraceStep& in = step_of("@%p1 cp.async.bulk.shared");
  EXPECT_EQ(op_of(in).kind, TraceKind::copy);
  EXPECT_GT(in.arrives, in.cycle);
  ASSERT_EQ(in.accesses.size(), 4u);
  EXPECT_EQ(kind_text(in.accesses[0]), "global load 4x4");
  EXPECT_EQ(in.accesses[0].places, (Values{in_}));
  EXPECT_EQ(kind_text(in.accesses[3]), "shared store 4x4");
  EXPECT_EQ(in.accesses[3].values, (Values{1004, 1005, 1006, 1007}));
  const TraceStep& out = step_of("@%p1 cp.async.bulk.global");
  ASSERT_EQ(out.accesses.size(), 2u);
  EXPECT_EQ(kind_text(out.accesses[1]), "global store 4x4");
  EXPECT_EQ(out.accesses[1].places, (Values{out_}));
}

/// Fills the tile with halves that are their numbers: word i holds 2 * i and 2 * i + 1.
const std::string fill_tile = R"(
  mov.u32 %r5, 0;
FILL:
  shl.b32 %r6, %r5, 5; add.u32 %r6, %r6, %r1; shl.b32 %r7, %r6, 1; add.u32 %r8, %r7, 1;
  shl.b32 %r9, %r8, 16; or.b32 %r9, %r9, %r7; shl.b32 %r6, %r6, 2; add.u32 %r6, %r2, %r6;
  st.shared.u32 [%r6], %r9;
  add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 4; @%p2 bra FILL;
  bar.sync 0;
)";

TEST_F(RecordedAccesses, OfLdmatrixEachLaneHasItsWordsAndWhoNamedTheRow) {
  // Row r of eight halves begins at byte 32 * r: lane r names it.
  record(fill_tile + R"(
    shl.b32 %r10, %r1, 5; add.u32 %r10, %r2, %r10; and.b32 %r10, %r10, 511;
    ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r11, %r12}, [%r10];)");
  const TraceStep& step = step_of("ldmatrix");
  EXPECT_EQ(op_of(step).kind, TraceKind::load);
  ASSERT_EQ(step.accesses.size(), 2u);
  for (std::uint32_t m = 0; m < 2; ++m) {
    const TraceAccess& access = step.accesses[m];
    EXPECT_EQ(kind_text(access), "shared load 2x2");
    EXPECT_EQ(access.lanes, ~0u);
    EXPECT_EQ(access.registers, (Words{op_of(step).writes[m], op_of(step).writes[m]}));
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const std::uint32_t row = 8 * m + lane / 4, place = row * 32 % 512 + lane % 4 * 4;
      EXPECT_EQ(access.givers[lane], row);
      EXPECT_EQ(access.places[lane], place);
      EXPECT_EQ(access.values[2 * lane], place / 2);
      EXPECT_EQ(access.values[2 * lane + 1], place / 2 + 1);
    }
  }
}

TEST_F(RecordedAccesses, TransposedALanesTwoElementsAreOfTwoRows) {
  record(fill_tile + R"(
    and.b32 %r10, %r1, 7; shl.b32 %r10, %r10, 4; add.u32 %r10, %r2, %r10;
    ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r11}, [%r10];
    st.global.u32 [%rd4], %r11;)");
  const TraceStep& step = step_of("ldmatrix");
  ASSERT_EQ(step.accesses.size(), 2u);
  const Values& stored = step_of("st.global").accesses.at(0).values;
  for (std::uint32_t half = 0; half < 2; ++half) {
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(step.accesses[half].givers[lane], lane % 4 * 2 + half);
      EXPECT_EQ(step.accesses[half].values[lane], stored[lane] >> 16 * half & 0xffff);
    }
  }
}

TEST_F(RecordedAccesses, StmatrixWritesWhatTheLanesHold) {
  record(R"(
    and.b32 %r10, %r1, 7; shl.b32 %r10, %r10, 4; add.u32 %r10, %r2, %r10;
    shl.b32 %r11, %r1, 16; add.u32 %r11, %r11, 7;
    stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r10], {%r11};)");
  const TraceAccess& store = step_of("stmatrix").accesses.at(0);
  EXPECT_EQ(kind_text(store), "shared store 2x2");
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(store.places[lane], lane / 4 * 16 + lane % 4 * 4);
    EXPECT_EQ(store.values[2 * lane], 7u);
    EXPECT_EQ(store.values[2 * lane + 1], lane);
    EXPECT_EQ(store.givers[lane], lane / 4);
  }
  EXPECT_EQ(recorder_->trace()->end.size(), 128u);
}

TEST_F(RecordedAccesses, MatricesOfWmmaAreRecordedPieceByPiece) {
  record(R"(
    .reg .b32 %a<8>, %b<8>; .reg .f32 %c<8>, %d<8>;
    mov.u32 %r5, 16;
    wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, [%rd1], %r5;
    wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%b0,%b1,%b2,%b3,%b4,%b5,%b6,%b7}, [%rd1], %r5;
    wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7}, [%rd1], %r5;
    wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%d0,%d1,%d2,%d3,%d4,%d5,%d6,%d7},
      {%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, {%b0,%b1,%b2,%b3,%b4,%b5,%b6,%b7},
      {%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7};
    wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd2], {%d0,%d1,%d2,%d3,%d4,%d5,%d6,%d7}, %r5;)");
  const TraceStep& a = step_of("wmma.load.a");
  std::map<std::uint64_t, int> halves;
  for (const TraceAccess& access : a.accesses) {
    EXPECT_EQ(kind_text(access), "global load 2x2");
    for (const std::uint64_t place : access.places)
      ++halves[place - in_], ++halves[place + 2 - in_];
    EXPECT_EQ(access.registers.size(), 2u);
    EXPECT_EQ(access.registers[0], access.registers[1]);
  }
  EXPECT_EQ(halves.size(), 256u) << "the whole matrix";
  const TraceStep& product = step_of("wmma.mma");
  EXPECT_EQ(op_of(product).kind, TraceKind::product);
  EXPECT_TRUE(product.accesses.empty());
  Words loaded = op_of(step_of("wmma.load.c")).writes;
  loaded.resize(8);  // what is behind them holds its addresses
  EXPECT_EQ(op_of(product).added, loaded);
  const TraceStep& store = step_of("wmma.store");
  std::map<std::uint64_t, std::uint64_t> stored;
  for (const TraceAccess& access : store.accesses) {
    EXPECT_EQ(kind_text(access), "global store 4x2");
    for (std::size_t i = 0; i < access.values.size(); ++i)
      stored[access.places[i / 2] + i % 2 * 4 - out_] = access.values[i];
  }
  ASSERT_EQ(stored.size(), 256u);
  const Words left = grid_->download<std::uint32_t>(out_, 256);
  for (std::size_t i = 0; i < 256; ++i) EXPECT_EQ(stored[4 * i], left[i]) << i;
}

TEST_F(RecordedAccesses, LanesOfAnAtomicHaveTheirTurnsLowestFirst) {
  record(
      "add.u32 %r5, %r1, 1; atom.global.add.u32 %r6, [%rd2], %r5; st.global.u32 [%rd4+64], %r6;");
  const TraceAccess& atomic = step_of("atom").accesses.at(0);
  const Values& got = step_of("st.global").accesses.at(0).values;
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(atomic.places[lane], out_);
    EXPECT_EQ(atomic.values[lane], lane * (lane + 1) / 2);
    EXPECT_EQ(atomic.after[lane], (lane + 1) * (lane + 2) / 2);
    EXPECT_EQ(got[lane], atomic.values[lane]) << "what the kernel sees";
  }
}

TEST_F(RecordedAccesses, TurnsAreThoseOfOnePlaceOrSeveralInSharedMemoryToo) {
  record(R"(
    and.b32 %r5, %r1, 1; shl.b32 %r5, %r5, 3; add.u32 %r5, %r2, %r5; mov.u32 %r6, 0;
    st.shared.u32 [%r2], %r6; st.shared.u32 [%r2+8], %r6; bar.sync 0;
    setp.ge.u32 %p1, %r1, 4;
    @%p1 red.shared.max.u32 [%r5], %r1;)");
  const TraceAccess& atomic = step_of("@%p1 red").accesses.at(0);
  EXPECT_EQ(atomic.lanes, ~0u << 4);
  EXPECT_EQ(kind_text(atomic), "shared atomic 4x1");
  for (std::size_t i = 0; i < 28; ++i) {
    EXPECT_EQ(atomic.places[i], i % 2 * 8);
    EXPECT_EQ(atomic.values[i], i < 2 ? 0 : i + 2);
    EXPECT_EQ(atomic.after[i], i + 4);
  }
  record(
      "mov.u32 %r5, 0; st.shared.u32 [%r2], %r5; bar.sync 0; atom.shared.add.u32 %r6, [%r2], 2;");
  EXPECT_EQ(step_of("atom").accesses.at(0).after[31], 64u) << "a whole warp, 32-bit addresses";
}

TEST_F(RecordedAccesses, OfACompareAndSwapOneLaneWins) {
  record("atom.global.cas.b32 %r6, [%rd2], 0, 5;");
  const TraceAccess& atomic = step_of("atom").accesses.at(0);
  EXPECT_EQ(atomic.values[0], 0u);
  EXPECT_EQ(atomic.after[0], 5u);
  EXPECT_EQ(atomic.values[1], 5u);
  EXPECT_EQ(atomic.after[31], 5u);
}

TEST_F(RecordedAccesses, LocalMemoryAndWhatIsRefused) {
  record(R"(
    .local .align 4 .b8 own[64];
    mov.u64 %rd6, own; st.local.u32 [%rd6+8], %r1; ld.local.u32 %r5, [%rd6+8];)");
  const TraceAccess& load = step_of("ld.local").accesses.at(0);
  EXPECT_EQ(kind_text(load), "local load 4x1");
  EXPECT_EQ(load.values[7], 7u);
  grid_.emplace(kernel_text(2, 0, std::string(setup) + "ld.global.u32 %r5, [%rd3+1024]; ret;"));
  in_ = grid_->upload(Words(257, 1));
  recorder_.emplace(TraceRequest{});
  grid_->request.recorder = &*recorder_;
  EXPECT_NE(grid_->launch({1}, {32}, in_, in_).error, 0);
  const TraceAccess& refused = step_of("ld.global").accesses.at(0);
  EXPECT_TRUE(refused.values.empty());
  EXPECT_EQ(refused.places[3], in_ + 1024 + 12);
}

/// An array of 64 x 16 texels of two 16-bit channels, (x, y) being 100 * y + x and one more.
class RecordedTexels : public RecordedAccesses {
 protected:
  const Trace& record_texels(const std::string& body, bool as_texture) {
    grid_.emplace(kernel_text(2, 0, setup + body + "\nret;"));
    registry_.emplace(grid_->memory);
    constexpr TexelFormat format{TexelKind::unsigned_integer, 16, 2};
    const ArrayId array =
        registry_->add_array({.format = format, .width = 64, .height = 16, .surface = true});
    TextureDescription how;
    how.array = array;
    object_ = as_texture ? registry_->add_texture(how) : registry_->add_surface(array);
    region_ = as_texture ? registry_->texture(object_)->region : *registry_->surface(object_);
    for (std::uint32_t i = 0; i < 64 * 16; ++i) {
      const std::uint32_t value = i / 64 * 100 + i % 64, texel = value | (value + 1) << 16;
      const DeviceAddress at = region_.texel(i % 64, i / 64, 0);
      std::memcpy(grid_->memory.host(at), &texel, sizeof texel);
      grid_->memory.initialised().set(at - GlobalMemory::base, sizeof texel);
    }
    grid_->request.textures = &*registry_;
    return launch(32, object_, grid_->upload(Words(64, 0)));
  }
  std::uint64_t place(std::uint32_t x, std::uint32_t y) const { return region_.texel(x, y, 0); }

  std::optional<TextureRegistry> registry_;
  ObjectId object_ = 0;
  TexelRegion region_;
};

TEST_F(RecordedTexels, AFetchReadsItsTexels) {
  const Trace& trace = record_texels(R"(
    cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, 0f40a00000;
    tex.2d.v4.u32.f32 {%r5, %r6, _, _}, [%rd1, {%f1, %f2}];)",
                                     true);
  const TraceStep& step = step_of("tex.2d");
  EXPECT_EQ(op_of(step).text, "tex.2d.v4.u32.f32 {%r5, %r6, _, _}, [%rd1, {%f1, %f2}]");
  ASSERT_EQ(step.accesses.size(), 1u);
  EXPECT_EQ(kind_text(step.accesses[0]), "global load 2x2");
  EXPECT_EQ(step.accesses[0].lanes, ~0u);
  EXPECT_EQ(step.accesses[0].places[9], place(9, 5));
  EXPECT_EQ(step.accesses[0].values[18], 509u);
  EXPECT_EQ(step.accesses[0].values[19], 510u);
  ASSERT_EQ(trace.texels.size(), 1u);
  const TraceTexels& texels = trace.texels[0];
  EXPECT_EQ(texels.objects, Values{object_});
  EXPECT_EQ(texels.index_at(place(9, 5) + 2), (5u * 64 + 9) * 2 + 1);
  for (std::uint64_t i = 0; i < texels.elements(); ++i)
    ASSERT_EQ(texels.index_at(texels.place_of(i)), i);
}

TEST_F(RecordedTexels, AGatherReadsFour) {
  record_texels(R"(
    cvt.rn.f32.u32 %f1, %r1; add.f32 %f1, %f1, 0f3f800000; mov.f32 %f2, 0f40a00000;
    tld4.g.2d.v4.u32.f32 {%r5, %r6, %r7, %r8}, [%rd1, {%f1, %f2}];)",
                true);
  const TraceStep& step = step_of("tld4");
  ASSERT_EQ(step.accesses.size(), 4u);
  std::vector<std::uint64_t> of_lane;
  for (const TraceAccess& access : step.accesses) of_lane.push_back(access.places[3]);
  std::ranges::sort(of_lane);
  Values expected{place(3, 4), place(4, 4), place(3, 5), place(4, 5)};
  std::ranges::sort(expected);
  EXPECT_EQ(of_lane, expected);
}

TEST_F(RecordedTexels, SurfacesAreReadWrittenAndReduced) {
  record_texels(R"(
    mov.u32 %r5, 6; add.u32 %r6, %r1, 70000;
    suld.b.2d.b32.trap %r7, [%rd1, {%r3, %r5}];
    sust.b.2d.b32.trap [%rd1, {%r3, %r5}], %r6;
    and.b32 %r8, %r3, 4; sured.b.2d.add.u32.trap [%rd1, {%r8, %r5}], 3;
    mov.u32 %r9, 1; sust.b.2d.b32.zero [%rd1, {256, %r9}], %r6;)",
                false);
  const TraceAccess& load = step_of("suld").accesses.at(0);
  EXPECT_EQ(load.values[2 * 4], 604u);
  const TraceAccess& store = step_of("sust.b.2d.b32.trap").accesses.at(0);
  EXPECT_EQ(kind_text(store), "global store 2x2");
  EXPECT_EQ(store.places[4], place(4, 6));
  EXPECT_EQ(store.values[8], 70004u & 0xffff);
  EXPECT_EQ(store.values[9], 1u);
  const TraceAccess& turns = step_of("sured").accesses.at(0);
  EXPECT_EQ(kind_text(turns), "global atomic 4x1");
  for (std::size_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(turns.places[lane], place(lane % 2, 6));
    EXPECT_EQ(turns.values[lane], 70000 + lane % 2 + lane / 2 * 3);
    EXPECT_EQ(turns.after[lane], turns.values[lane] + 3);
  }
  EXPECT_TRUE(step_of("sust.b.2d.b32.zero").accesses.empty()) << "outside, without effect";
}

}  // namespace
}  // namespace gridstride::sim
