// The page and the JSON that it plays: nothing of a student's text acts, nothing is loaded, and what does not fit
// is left out aloud.
#include "common/simulator/playback/page.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace gridstride::sim {
namespace {

bool page_holds(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

constexpr std::uint64_t memory = 0x0a00'0000'0000;

/// `count` stores of one warp, the lanes side by side, to an array of 64 numbers.
Trace stores(std::size_t count) {
  Trace trace;
  trace.kernel = "fill(int*)";
  trace.grid = {1, 1, 1};
  trace.block = {32, 1, 1};
  trace.blocks = {{0, 0, 0}};
  trace.parameters = {{0, 8, {0, 0, 0, 0, 0, 10, 0, 0}}};
  trace.allocations = {{memory, 256, "", "the 1st cudaMalloc"}};
  TraceOp op;
  op.text = "st.global.b32";
  op.kind = TraceKind::store;
  op.file = "fill.cu";
  op.line = 1;
  op.type = "s32";
  op.bytes = 4;
  trace.ops = {op};
  for (std::size_t i = 0; i < count; ++i) {
    TraceStep step;
    step.here = step.lanes = ~0u;
    step.cycle = 2.0 * static_cast<double>(i);
    TraceAccess access{TraceSpace::global, TraceKind::store, ~0u, 4, 1, {}, {}, {}};
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
      access.places.push_back(memory + 4 * lane);
      access.values.push_back(7);
    }
    step.accesses = {std::move(access)};
    trace.steps.push_back(std::move(step));
  }
  return trace;
}

Playback played_for_page(Trace trace, const std::string& title = "fill.cu") {
  Watched watched;
  watched.title = title;
  watched.sources["fill.cu"] = "__global__ void fill(int* out) { out[threadIdx.x] = 7; }\n";
  return {std::move(trace), std::move(watched)};
}

nlohmann::json access_of(const Playback& playback) {
  return to_json(playback).at("steps").at(0).at(7).at("accesses").at(0);
}

TEST(PlaybackJson, SaysAccessesInFewWords) {
  EXPECT_EQ(access_of(played_for_page(stores(1))),
            nlohmann::json::parse(R"({"array": 0, "first": 0, "stride": 1, "values": [7]})"));
  Trace scattered = stores(1);
  std::swap(scattered.steps[0].accesses[0].places[0], scattered.steps[0].accesses[0].places[31]);
  EXPECT_EQ(access_of(played_for_page(std::move(scattered))).at("at").at(0), 31);
  Trace some = stores(1);
  TraceAccess& access = some.steps[0].accesses[0];
  access.lanes = 1;
  access.places.resize(1);
  access.values = {8};
  EXPECT_EQ(access_of(played_for_page(std::move(some))),
            nlohmann::json::parse(R"({"array": 0, "first": 0, "lanes": 1, "values": [8]})"));
}

TEST(PlaybackJson, TakesApartWhatIsWiderThanAnElement) {
  Trace wide = stores(1);
  TraceAccess& access = wide.steps[0].accesses[0];
  access.lanes = 1;
  access.bytes = 8;
  access.places.resize(1);
  access.values = {std::uint64_t{5} << 32 | 0xffff'ffff};
  const nlohmann::json json = access_of(played_for_page(std::move(wide)));
  EXPECT_EQ(json.at("width"), 2);
  EXPECT_EQ(json.at("values"), nlohmann::json::parse("[-1, 5]"));
}

TEST(PlaybackJson, SaysOfEachLanesTurnWhatItFoundAndLeft) {
  Trace atomic = stores(1);
  atomic.ops[0].kind = TraceKind::atomic;
  atomic.steps[0].accesses = {
      {TraceSpace::global, TraceKind::atomic, 3, 4, 1, {memory, memory}, {5, 6}, {6, 8}}};
  EXPECT_EQ(access_of(played_for_page(std::move(atomic))),
            nlohmann::json::parse(
                R"({"array": 0, "first": 0, "lanes": 3, "values": [6, 8], "found": [5, 6]})"));
}

TEST(PlaybackJson, SaysRegistersWhoNamedARowAndWhatIsNotAsTheInstructionIs) {
  Trace matrix = stores(1);
  matrix.ops[0].kind = TraceKind::copy;
  matrix.steps[0].arrives = 640;
  matrix.steps[0].accesses = {{TraceSpace::global,
                               TraceKind::load,
                               3,
                               4,
                               2,
                               {memory, memory + 16},
                               {1, 2, 3, 4},
                               {},
                               {7, 9},
                               {11, 12}}};
  const Playback playback = played_for_page(std::move(matrix));
  EXPECT_EQ(access_of(playback), nlohmann::json::parse(R"({
    "array": 0, "first": 0, "stride": 4, "width": 2, "lanes": 3, "values": [1, 2, 3, 4],
    "kind": "load", "givers": [7, 9], "registers": [11, 12]})"));
  EXPECT_EQ(to_json(playback).at("steps").at(0).at(7).at("arrives"), 640);
}

TEST(PlaybackPage, TextOfTheStudentDoesNotAct) {
  const std::string evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>";
  Trace trace = stores(1);
  trace.kernel = trace.reason = evil;
  trace.ops[0].text = evil;
  trace.findings = {{evil, evil, evil, 1, 0, -1}};
  Watched watched;
  watched.title = watched.verdict = watched.message = watched.input = evil;
  watched.wrong = watched.expected = watched.got = evil;
  watched.launches = {evil};
  watched.sources[evil] = evil;
  const Playback playback(std::move(trace), std::move(watched));
  const std::string page = to_page({&playback});
  EXPECT_FALSE(page_holds(page, "<script>alert"));
  EXPECT_FALSE(page_holds(page, "<img"));
}

TEST(PlaybackPage, AHiddenSourceIsNowhereAndStillNamesThings) {
  const auto all = [](bool hide) {
    Trace trace = stores(1);
    trace.ops[0].text = "@%p1 st.global.u32 [%rd4], %r7";
    trace.ops[0].file = "fill.cu";
    trace.ops[0].line = 1;
    Watched watched;
    watched.hide_source = hide;
    watched.sources["fill.cu"] = "__global__ void fill(int* out) { out[threadIdx.x] = 7; }\n";
    const Playback playback(std::move(trace), std::move(watched));
    return to_page({&playback}) + to_text(playback, {}) + heading_text(playback) +
           history_text(playback, playback.element("out[3]"));
  };
  for (const char* text : {"[threadIdx.x] = 7", "%rd4"}) {
    EXPECT_TRUE(page_holds(all(false), text)) << text;
    EXPECT_FALSE(page_holds(all(true), text)) << text;
  }
  EXPECT_TRUE(page_holds(all(true), "st.global.u32")) << "what kind of step it is";
  EXPECT_TRUE(page_holds(all(true), "@%p1")) << "the page asks for it";
}

TEST(PlaybackPage, LoadsNothing) {
  const Playback playback = played_for_page(stores(1));
  const std::string page = to_page({&playback});
  EXPECT_TRUE(page_holds(page, "default-src 'none'"));
  for (const char* loads : {" src=", "<link", "@import", "url(", "fetch(", "import("})
    EXPECT_FALSE(page_holds(page, loads)) << loads;
}

TEST(PlaybackPage, HoldsTwoRecordings) {
  const Playback one = played_for_page(stores(1), "one"),
                 other = played_for_page(stores(1), "other");
  const std::string page = to_page({&one, &other});
  EXPECT_TRUE(page_holds(page, "<title>one against other step by step</title>"));
  const std::string recording = "class=\"recording\"";
  EXPECT_NE(page.find(recording, page.find(recording) + 1), std::string::npos);
}

TEST(PlaybackPage, LeavesOutTheLastStepsWhereItWouldBeTooLarge) {
  constexpr std::size_t steps = 1000, most = 40'000;
  Trace trace = stores(steps);
  trace.findings = {{"race", "late", "fill.cu", 1, 1, steps - 1}};
  trace.openings = {{steps, 0, 0, 1, 5}};
  const Playback playback = played_for_page(std::move(trace));
  const std::string whole = to_page({&playback}), cut = to_page({&playback}, most);
  EXPECT_FALSE(page_holds(whole, "\"left_out\":"));
  EXPECT_LT(cut.size(), whole.size());
  const std::size_t begin = cut.find("class=\"recording\">") + 18;
  const auto json = nlohmann::json::parse(cut.substr(begin, cut.find("</script>", begin) - begin));
  const std::size_t kept = json.at("steps").size();
  EXPECT_GT(kept, 300u);
  EXPECT_EQ(json.at("left_out"), steps - kept);
  EXPECT_EQ(json.at("findings").at(0).at("step"), -1);
  EXPECT_TRUE(json.at("openings").empty());
  EXPECT_LE(json.dump().size(), most);
}

}  // namespace
}  // namespace gridstride::sim
