// Names from a source, the order of steps, where values come from: on a trace of two warps.
#include "common/simulator/playback/playback.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/simulator/trace/named_threads.h"

namespace gridstride::sim {
namespace {

constexpr const char* source = R"(
constexpr int tile = 8;
// __shared__ int wrong[1];
__global__ void twice(const float* in, std::uint32_t* out, int n = 3) {
  __shared__ float sums[64];
  __shared__ int grid[tile][tile + 1], other[tile][4];
  sums[threadIdx.x] = in[threadIdx.x];
}
)";

TEST(SourceNames, ReadsAKernelsParameters) {
  const auto parameters =
      kernel_parameters(source, "(anonymous namespace)::twice(float const*, unsigned int*, int)");
  ASSERT_EQ(parameters.size(), 3u);
  EXPECT_EQ(parameters[0].name, "in");
  EXPECT_EQ(parameters[0].type.kind, 'f');
  EXPECT_TRUE(parameters[0].is_pointer);
  EXPECT_EQ(parameters[1].name, "out");
  EXPECT_EQ(parameters[1].type.kind, 'u');
  EXPECT_EQ(parameters[2].name, "n");
  EXPECT_FALSE(parameters[2].is_pointer);
  EXPECT_TRUE(kernel_parameters(source, "other(int)").empty());
}

TEST(SourceNames, AKernelIsCalledByItsLastName) {
  for (const char* name :
       {"twice(int)", "(anonymous namespace)::twice(float const*, (anonymous namespace)::Piece)",
        "_INTERNAL_1_a_cu::(anonymous namespace)::twice(float*)", "lab::twice()", "twice",
        "void lab::twice<(anonymous namespace)::Piece>((anonymous namespace)::Piece)",
        "void (anonymous namespace)::twice<9>(lab::Image, (anonymous namespace)::Piece)"})
    EXPECT_EQ(short_name(name), "twice") << name;
}

TEST(SourceNames, ReadsTheShapeOfSharedArrays) {
  EXPECT_EQ(shared_variable(source, "grid").extents, (std::vector<std::uint32_t>{8, 9}));
  EXPECT_EQ(shared_variable(source, "other").extents, (std::vector<std::uint32_t>{8, 4}));
  EXPECT_EQ(shared_variable(source, "sums").type.kind, 'f');
  EXPECT_TRUE(shared_variable(source, "wrong").name.empty());
}

TEST(NamedThreads, AreFoundInAMessage) {
  const auto threads = named_threads(
      "s: thread (1, 2, 0) of block (3, 0, 0) writes it and thread (4, 0, 0) of block (3, 0, 0) "
      "reads it");
  ASSERT_EQ(threads.size(), 2u);
  EXPECT_EQ(threads[0].thread, (Dim3{1, 2, 0}));
  EXPECT_EQ(threads[1].block, (Dim3{3, 0, 0}));
}

/// Warp 1 stores 7 to sums[0] late in cycles, and the machine ran it first; warp 0 then loads it early,
/// and stores it to out[2].
Trace two_warps() {
  Trace trace;
  trace.kernel = "twice(float const*, unsigned int*, int)";
  trace.grid = {1, 1, 1};
  trace.block = {64, 1, 1};
  trace.blocks = {{0, 0, 0}};
  trace.shared_bytes = 256;
  const auto pointer = [](std::uint8_t page) {
    return TraceParameter{0, 8, {0, page, 0, 0, 0, 10, 0, 0}};
  };
  trace.parameters = {pointer(0), pointer(4), {16, 4, {3, 0, 0, 0}}};
  trace.allocations = {{0x0a00'0000'0000, 256, "", "the 1st cudaMalloc"},
                       {0x0a00'0000'0400, 12, "", "the 2nd cudaMalloc"}};
  trace.shared = {{"sums", 0, 256}};
  const auto op = [](const char* text, TraceKind kind, std::vector<std::uint32_t> reads,
                     std::vector<std::uint32_t> writes) {
    TraceOp one;
    one.text = text;
    one.kind = kind;
    one.line = 7;
    one.type = "b32";
    one.bytes = 4;
    one.reads = std::move(reads);
    one.writes = std::move(writes);
    return one;
  };
  trace.ops = {op("st.shared.b32", TraceKind::store, {1}, {}),
               op("ld.shared.b32", TraceKind::load, {}, {2}),
               op("st.global.b32", TraceKind::store, {2}, {})};
  const auto step = [](std::uint32_t number, std::uint32_t warp, double cycle, TraceSpace space,
                       TraceKind kind, std::uint64_t place) {
    TraceStep one;
    one.op = number;
    one.warp = warp;
    one.here = one.lanes = 1;
    one.cycle = cycle;
    one.accesses = {{space, kind, 1, 4, 1, {place}, {0x40e00000}, {}}};
    return one;
  };
  trace.steps = {step(0, 1, 90, TraceSpace::shared, TraceKind::store, 0),
                 step(1, 0, 10, TraceSpace::shared, TraceKind::load, 0),
                 step(2, 0, 11, TraceSpace::global, TraceKind::store, 0x0a00'0000'0408)};
  trace.end = {{TraceSpace::shared, 0, 3, 0x40}, {TraceSpace::global, 0, 0x0a00'0000'040a, 0xe0}};
  return trace;
}

Playback played(Trace trace) {
  Watched watched;
  watched.title = "twice.cu";
  watched.sources["twice.cu"] = source;
  return {std::move(trace), std::move(watched)};
}

TEST(Playback, NamesElementsAsTheSourceDoes) {
  const Playback playback = played(two_warps());
  EXPECT_EQ(playback.label(TraceSpace::shared, 0, 12), "sums[3]");
  EXPECT_EQ(playback.label(TraceSpace::global, 0, 0x0a00'0000'0008), "in[2]");
  EXPECT_EQ(playback.label(TraceSpace::global, 0, 0x0a00'0000'040c), "out[3]");
  EXPECT_EQ(playback.beyond(TraceSpace::global, 0, 0x0a00'0000'040c),
            " (beyond the end: out has 3 elements)");
  EXPECT_EQ(playback.beyond(TraceSpace::global, 0, 0x0a00'0000'0408), "");
  EXPECT_EQ(playback.element("sums[3]").place, 12u);
  EXPECT_THROW(playback.element("sum[3]"), TraceError);
  EXPECT_THROW(playback.element("sums[64]"), TraceError);
  EXPECT_THROW(playback.element("sums[x]"), TraceError);
}

TEST(Playback, MemoryBehindAPointerWithinAParameterHasTheContractsName) {
  Trace trace = two_warps();
  trace.allocations.push_back({0x0a00'0000'0800, 256, "",
                               "the 256-byte allocation (by the grader for the argument image)"});
  trace.allocations.push_back(
      {0x0a00'0000'0c00, 256, "", "the 256-byte allocation (by the grader for the argument in)"});
  const Playback playback = played(std::move(trace));
  EXPECT_EQ(playback.label(TraceSpace::global, 0, 0x0a00'0000'0804), "image[1]");
  EXPECT_NE(playback.label(TraceSpace::global, 0, 0x0a00'0000'0c04), "in[1]") << "in is another";
}

TEST(Playback, AnAccessIsShownBehindTheStoreThatItFound) {
  EXPECT_EQ(played(two_warps()).order(), (std::vector<std::size_t>{0, 1, 2}));
  Trace apart = two_warps();
  apart.steps[0].accesses[0].places[0] = 4;  // another word: cycles decide
  EXPECT_EQ(played(apart).order(), (std::vector<std::size_t>{1, 2, 0}));
}

TEST(Playback, OfARaceTheEarlierAccessDoesWhatTheMessageSays) {
  // Lanes 0 and 1 read sums[0] in one step, and write it in the next, all in one line.
  Trace trace = two_warps();
  trace.ops[0].line = trace.ops[1].line = 7;
  const auto both = [](std::uint32_t op, TraceKind kind) {
    TraceStep step;
    step.op = op;
    step.here = step.lanes = 3;
    step.accesses = {{TraceSpace::shared, kind, 3, 4, 1, {0, 0}, {1, 1}, {}}};
    return step;
  };
  trace.steps = {both(1, TraceKind::load), both(0, TraceKind::store)};
  TraceFinding race;
  race.line = race.other_line = 7;
  race.step = 1;
  race.message =
      "Race in sums: thread (1, 0, 0) of block (0, 0, 0) reads it in line 7 and thread (0, 0, 0) "
      "of "
      "block (0, 0, 0) writes it in line 7.";
  const Playback playback = played(std::move(trace));
  const Playback::Accused accused = playback.accused(race);
  EXPECT_EQ(accused.step, 1);
  EXPECT_EQ(accused.lanes, std::vector<std::uint32_t>{0});
  EXPECT_EQ(accused.other, 0);
  EXPECT_EQ(accused.other_lanes, std::vector<std::uint32_t>{1});
  race.message.replace(race.message.find("reads"), 5, "writes");
  EXPECT_EQ(playback.accused(race).other, 1) << "one instruction";
}

TEST(Playback, TellsWhoWroteAnElementAndFromWhat) {
  const Playback playback = played(two_warps());
  const auto source_of_out =
      playback.source_of(playback.element("out[2]"), playback.order().size());
  ASSERT_TRUE(source_of_out);
  EXPECT_EQ(source_of_out->store.step, 2u);
  ASSERT_EQ(source_of_out->from.size(), 1u);
  EXPECT_EQ(source_of_out->from[0].step, 1u);
  const std::string text = history_text(playback, playback.element("out[2]"));
  EXPECT_NE(text.find("sums[0] = 7  step 0, thread 32"), std::string::npos) << text;
  EXPECT_EQ(history_text(playback, playback.element("out[1]")), "No recorded step wrote out[1].\n");
}

constexpr std::uint64_t in_begin = 0x0a00'0000'0000, out_begin = 0x0a00'0000'0400;

TraceOp op_that(TraceKind kind, const char* text, std::vector<std::uint32_t> reads,
                std::vector<std::uint32_t> writes) {
  TraceOp op;
  op.text = text;
  op.kind = kind;
  op.line = 7;
  op.reads = std::move(reads);
  op.writes = std::move(writes);
  return op;
}

TraceStep step_of(std::uint32_t op, std::uint32_t lanes, std::vector<TraceAccess> accesses) {
  TraceStep step;
  step.op = op;
  step.here = step.lanes = lanes;
  step.accesses = std::move(accesses);
  return step;
}

TEST(Playback, EachLaneOfAnAtomicFoundWhatTheOneBeforeHadLeft) {
  Trace trace = two_warps();
  trace.ops = {op_that(TraceKind::atomic, "red.global.add.u32", {1}, {}),
               op_that(TraceKind::load, "ld.global.u32", {}, {1})};
  trace.steps = {step_of(1, 7,
                         {{TraceSpace::global,
                           TraceKind::load,
                           7,
                           4,
                           1,
                           {in_begin, in_begin + 4, in_begin + 8},
                           {1, 2, 3},
                           {}}}),
                 step_of(0, 7,
                         {{TraceSpace::global,
                           TraceKind::atomic,
                           7,
                           4,
                           1,
                           {out_begin, out_begin, out_begin},
                           {10, 11, 13},
                           {11, 13, 16}}})};
  trace.end = {{TraceSpace::global, 0, out_begin, 16}};
  const Playback playback = played(std::move(trace));
  EXPECT_EQ(playback.differing_bytes(), 0u);
  auto source = playback.source_of(playback.element("out[0]"), playback.order().size());
  for (std::uint32_t lane = 3; lane-- > 0;) {
    ASSERT_TRUE(source);
    EXPECT_EQ(source->store.lane, lane);
    ASSERT_EQ(source->from.size(), 2u) << "what the lane brought, and what it found";
    EXPECT_EQ(playback.label(TraceSpace::global, 0, source->from[0].place),
              "in[" + std::to_string(lane) + "]");
    const Playback::Sources before = playback.sources_of(source->from[1]);
    ASSERT_EQ(before.found.size(), lane == 0 ? 0u : 1u);
    EXPECT_EQ(before.all, lane != 0);
    if (lane > 0) source = before.found.front();
  }
  const std::string text = history_text(playback, playback.element("out[0]"));
  const std::size_t last = text.find("out[0] = 16  step 1, thread 2"),
                    middle = text.find("out[0] = 13  step 1, thread 1"),
                    first = text.find("out[0] = 11  step 1, thread 0"),
                    before = text.find("read out[0] = 10");
  EXPECT_TRUE(last < middle && middle < first && first < before) << text;
  EXPECT_NE(before, std::string::npos) << text;
  const std::string told = to_text(playback, {});
  EXPECT_NE(told.find("changes atomically out[0], one lane after the other: found 10 11 13, left "
                      "11 13 16"),
            std::string::npos)
      << told;
}

TEST(Playback, AnAsynchronousCopyLeadsToItsSource) {
  Trace trace = two_warps();
  trace.ops = {op_that(TraceKind::copy, "cp.async.ca.shared.global", {1, 2}, {})};
  trace.steps = {step_of(
      0, 1,
      {{TraceSpace::global, TraceKind::load, 1, 4, 2, {in_begin + 8}, {0x3f800000, 0x40000000}, {}},
       {TraceSpace::shared, TraceKind::store, 1, 4, 4, {16}, {0x3f800000, 0x40000000, 0, 0}, {}}})};
  trace.steps[0].arrives = 640;
  trace.end.clear();
  const Playback playback = played(std::move(trace));
  const auto copied = playback.source_of(playback.element("sums[5]"), 1);
  ASSERT_TRUE(copied);
  ASSERT_EQ(copied->from.size(), 1u);
  EXPECT_EQ(copied->from[0].place, in_begin + 12);
  EXPECT_FALSE(copied->filled);
  const auto zero = playback.source_of(playback.element("sums[6]"), 1);
  ASSERT_TRUE(zero);
  EXPECT_TRUE(zero->from.empty() && zero->filled);
  const std::string text = to_text(playback, {});
  EXPECT_NE(text.find("reads in[2..3]: 1 2"), std::string::npos) << text;
  EXPECT_NE(text.find("writes sums[4..7]: 1 2 0 0"), std::string::npos) << text;
  EXPECT_NE(text.find("there at cycle 640"), std::string::npos) << text;
  const auto accesses = to_json(playback).at("steps").at(0).at(7).at("accesses");
  EXPECT_EQ(accesses.at(0).at("kind"), "load");
  EXPECT_EQ(accesses.at(1).at("kind"), "store");
}

TEST(Playback, OfSeveralRegistersEachHasItsElement) {
  Trace trace = two_warps();
  trace.ops = {op_that(TraceKind::load, "ldmatrix", {}, {4, 5}),
               op_that(TraceKind::store, "st.global.b32", {5}, {})};
  TraceAccess first{TraceSpace::shared, TraceKind::load, 1, 2, 2, {0}, {1, 2}, {}, {3}, {4, 4}},
      second{TraceSpace::shared, TraceKind::load, 1, 2, 2, {32}, {3, 4}, {}, {9}, {5, 5}};
  trace.steps = {
      step_of(0, 1, {first, second}),
      step_of(1, 1, {{TraceSpace::global, TraceKind::store, 1, 4, 1, {out_begin}, {0x40003}, {}}})};
  trace.end.clear();
  const Playback playback = played(std::move(trace));
  const auto source = playback.source_of(playback.element("out[0]"), 2);
  ASSERT_TRUE(source);
  ASSERT_EQ(source->from.size(), 2u) << "both halves of the one register";
  EXPECT_EQ(source->from[0].place, 32u);
  EXPECT_EQ(source->from[1].place, 34u);
  const std::string text = to_text(playback, {});
  EXPECT_NE(text.find("[rows named by lanes 3, 9]"), std::string::npos) << text;
}

TEST(Playback, AProductOfMatricesIsSaidToEndTheWay) {
  Trace trace = two_warps();
  trace.ops = {op_that(TraceKind::load, "ld.shared.b32 %r1", {}, {1}),
               op_that(TraceKind::product, "mma.sync", {1, 2}, {3}),
               op_that(TraceKind::store, "st.global.b32", {3}, {}),
               op_that(TraceKind::load, "ld.global.f32 %f2", {}, {2})};
  trace.ops[1].added = {2};
  trace.steps = {
      step_of(0, 1, {{TraceSpace::shared, TraceKind::load, 1, 4, 1, {4}, {5}, {}}}),
      step_of(3, 1, {{TraceSpace::global, TraceKind::load, 1, 4, 1, {in_begin}, {6}, {}}}),
      step_of(1, 1, {}),
      step_of(2, 1, {{TraceSpace::global, TraceKind::store, 1, 4, 1, {out_begin}, {7}, {}}})};
  trace.end.clear();
  const Playback playback = played(std::move(trace));
  const auto source = playback.source_of(playback.element("out[0]"), 4);
  ASSERT_TRUE(source);
  ASSERT_EQ(source->from.size(), 1u) << "what it was added to";
  EXPECT_EQ(source->from[0].place, in_begin);
  ASSERT_EQ(source->products.size(), 1u);
  EXPECT_EQ(source->products[0].step, 2u);
  ASSERT_EQ(source->products[0].brought.size(), 1u);
  EXPECT_EQ(source->products[0].brought[0].place, 4u);
  EXPECT_NE(history_text(playback, playback.element("out[0]"))
                .find("through a product of matrices in step 2 (:7): which elements went into one "
                      "of it is not recorded"),
            std::string::npos)
      << history_text(playback, playback.element("out[0]"));
}

TEST(Playback, AVectorIsARangeOfElements) {
  Trace trace = two_warps();
  trace.shared.push_back({"grid", 256, 288});
  const Playback playback = played(std::move(trace));
  const auto label = [&](std::uint32_t count, std::vector<std::uint64_t> places) {
    TraceAccess access{TraceSpace::shared, TraceKind::load, 0, 4, count, std::move(places), {}, {}};
    access.lanes = (1u << access.places.size()) - 1;
    return playback.label(access, 0);
  };
  EXPECT_EQ(label(4, {0}), "sums[0..3]");
  EXPECT_EQ(label(2, {0, 8, 32}), "sums[0..3], sums[8..9]");
  EXPECT_EQ(label(1, {4, 4, 4}), "sums[1]");
  EXPECT_EQ(label(1, {0, 8, 16, 24, 32}), "sums[0], sums[2], sums[4], sums[6], …");
  EXPECT_EQ(label(4, {256 + 4 * 11}), "grid[1][2..5]");
  EXPECT_EQ(label(4, {256 + 4 * 7}), "grid[0][7] to grid[1][1]");
}

TEST(Playback, TexelsHaveCoordinates) {
  Trace trace = two_warps();
  trace.kernel = "blur(cudaTextureObject_t, float*)";
  trace.parameters = {{0, 8, {9, 0, 0, 0, 0, 0, 0, 0}}, {8, 8, {0, 4, 0, 0, 0, 10, 0, 0}}};
  TraceTexels texels;
  texels.begin = 0x0a00'0000'1000;
  texels.width = 20;
  texels.height = 10;
  texels.channels = 2;
  texels.channel_bytes = 2;
  const ArrayLayout layout(20 * 4, 10, 1, false);
  texels.bytes = layout.bytes();
  texels.layout = layout.parts();
  texels.objects = {9};
  trace.texels = {texels};
  const std::uint64_t place = texels.begin + layout.offset(17 * 4, 3, 0);
  trace.ops = {op_that(TraceKind::load, "tex.2d", {}, {1, 2, 3, 4}),
               op_that(TraceKind::store, "st.global.b32", {2}, {})};
  trace.steps = {
      step_of(0, 1, {{TraceSpace::global, TraceKind::load, 1, 2, 2, {place}, {50, 60}, {}}}),
      step_of(1, 1, {{TraceSpace::global, TraceKind::store, 1, 4, 1, {out_begin}, {60}, {}}})};
  trace.end.clear();
  Watched watched;
  watched.sources["blur.cu"] = "__global__ void blur(cudaTextureObject_t image, float* out) {}";
  trace.functions.resize(1);
  const Playback playback(trace_of(to_json(trace)), watched);
  EXPECT_EQ(playback.label(TraceSpace::global, 0, place), "image(17, 3).x");
  EXPECT_EQ(playback.label(trace.steps[0].accesses[0], 0), "image(17, 3)");
  EXPECT_EQ(playback.element("image(17, 3)").place, place);
  EXPECT_THROW(playback.element("image(20, 3)"), TraceError);
  EXPECT_THROW(playback.element("image(1"), TraceError);
  const auto source = playback.source_of(playback.element("out[0]"), 2);
  ASSERT_TRUE(source);
  ASSERT_EQ(source->from.size(), 1u) << "the second channel goes to the second register";
  EXPECT_EQ(source->from[0].value, 60u);
  const auto json = to_json(playback);
  const auto access = json.at("steps").at(0).at(7).at("accesses").at(0);
  EXPECT_EQ(access.at("first"), (3 * 20 + 17) * 2);
  EXPECT_EQ(json.at("arrays").at(access.at("array").get<std::size_t>()).at("texels").at("width"),
            20);
}

TEST(Playback, TellsWhoHadWrittenInALaunchBefore) {
  Trace trace;
  trace.launch = 2;
  trace.grid = {1, 1, 1};
  trace.block = {32, 1, 1};
  trace.blocks = {{0, 0, 0}};
  trace.functions.resize(1);
  trace.allocations = {{4096, 16, "_INTERNAL_1_a_cu::(anonymous namespace)::left", ""},
                       {8192, 16, "right", ""}};
  trace.ops.resize(2);
  trace.ops[0].text = "ld.global.u32 %r1, [%rd1]";
  trace.ops[0].kind = TraceKind::load;
  trace.ops[0].writes = {1};
  trace.ops[1].text = "st.global.u32 [%rd2], %r1";
  trace.ops[1].kind = TraceKind::store;
  trace.ops[1].reads = {1};
  for (TraceOp& op : trace.ops) op.type = "u32", op.bytes = 4;
  const auto step = [](std::uint32_t op, TraceKind kind, std::uint64_t place) {
    TraceStep one;
    one.op = op;
    one.here = one.lanes = 1;
    one.accesses = {{TraceSpace::global, kind, 1, 4, 1, {place}, {7}, {}}};
    return one;
  };
  trace.steps = {step(0, TraceKind::load, 4100), step(1, TraceKind::store, 8196),
                 step(0, TraceKind::load, 8196), step(0, TraceKind::load, 8200)};
  EXPECT_EQ(unexplained_reads(trace, 9), (std::vector<std::uint64_t>{4100, 8200}))
      << "a block's own writes explain what it reads";
  EXPECT_EQ(unexplained_reads(trace, 1).size(), 1u);
  EXPECT_EQ(earlier_writer(trace, 4100), nullptr);
  trace.earlier = {{4100, {1, "sweep(int*)", {4, 4, 1}, {2, 1, 0}, 5}}};
  trace = trace_of(to_json(trace));
  const Playback playback(trace, {});
  const std::string text = history_text(playback, playback.element("right[1]"));
  EXPECT_NE(text.find("left[1] = 7  step 0, thread 0 of block 0, ?  (launch 2 had written it: "
                      "sweep, thread 5 of block 2,1; `--launch 2` records that)"),
            std::string::npos)
      << text;
  EXPECT_EQ(to_json(playback).at("earlier").at(0).at(1), 1);
}

TEST(Playback, ReplaysTheWritesAgainstMemoryAtTheEnd) {
  EXPECT_EQ(played(two_warps()).differing_bytes(), 0u);
  Trace other = two_warps();
  other.end[0].value = 1;
  EXPECT_EQ(played(other).differing_bytes(), 1u);
}

TEST(Playback, OneThreadIsToldAlone) {
  const Playback playback = played(two_warps());
  const std::string text = to_text(playback, {.thread = 32});
  EXPECT_NE(text.find("writes sums[0]: 7"), std::string::npos) << text;
  EXPECT_EQ(text.find("out[2]"), std::string::npos) << text;
  EXPECT_NE(to_text(playback, {.thread = 1}).find("Nothing"), std::string::npos);
}

TEST(Trace, ComesBackFromJson) {
  Trace trace = two_warps();
  const TraceLocation place{2, 9, TraceLocation::Kind::shared, 64};
  trace.types = {{"float", TraceType::Kind::floating, 4, -1, 0, {}},
                 {"Point", TraceType::Kind::structure, 8, -1, 0, {{"x", 0, 0}, {"y", 4, 0}}},
                 {"Point[3]", TraceType::Kind::array, 24, 1, 3, {}}};
  trace.functions = {{"kernel", {{"points", 2, false, 12, 1, 20, {place}}}}, {"helper", {}}};
  trace.ops[0].function = 1;
  trace.ops[0].at = 7;
  trace.steps[0].local_base = 48;
  const nlohmann::json json = to_json(trace);
  const Trace back = trace_of(json);
  EXPECT_EQ(to_json(back), json);
  EXPECT_EQ(back.functions.at(0).variables.at(0).locations.at(0).place, 64u);
  EXPECT_EQ(back.types.at(1).members.at(1).offset, 4u);
  EXPECT_EQ(back.ops.at(0).at, 7u);
  EXPECT_EQ(back.steps.at(0).local_base, 48u);
  const auto refuse = [&](auto&& change) {
    nlohmann::json broken = json;
    change(broken);
    EXPECT_THROW(trace_of(broken), TraceError);
  };
  refuse([](nlohmann::json& broken) { broken["steps"][0][0] = 99; });
  refuse([](nlohmann::json& broken) { broken["ops"][0][10] = 2; });
  refuse([](nlohmann::json& broken) { broken["types"][2][3] = 3; });
  refuse([](nlohmann::json& broken) { broken["functions"][0][1][0][1] = 3; });
  refuse([](nlohmann::json& broken) { broken["steps"][0][14] = {1, 2, 3, 4, 5, 6, 7}; });
  EXPECT_THROW(trace_of(nlohmann::json::parse("{}")), TraceError);
}

}  // namespace
}  // namespace gridstride::sim
