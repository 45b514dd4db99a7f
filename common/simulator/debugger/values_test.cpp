// What variables hold at a moment, and the expressions that ask for it.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/debugger/debugger.h"
#include "common/simulator/debugger/memory_replay.h"
#include "common/simulator/debugger/test_recording.h"

namespace gridstride::sim {
namespace {

class ValuesTest : public testing::Test {
 protected:
  /// Goes to the first time that a thread comes to a line.
  void at(std::uint32_t line, Focus focus = {0, 0}) {
    debugger_.restart();
    debugger_.set_focus(focus);
    for (int i = 0; i < 100; ++i) {
      const auto frames = debugger_.inspector().frames(debugger_.moment());
      if (!frames.empty() && frames.front().line.line == line) return;
      debugger_.step();
      debugger_.set_focus(focus);
    }
    FAIL() << "no way to line " << line;
  }
  std::string value(const std::string& expression, std::size_t frame = 0) const {
    const Moment moment = debugger_.moment();
    const auto frames = debugger_.inspector().frames(moment);
    try {
      const Value value = evaluate(expression, debugger_.inspector(), &frames.at(frame), moment);
      return debugger_.inspector().text(value, moment);
    } catch (const DebugError& error) {
      return std::string("error: ") + error.what();
    }
  }

  Playback playback_ = played(worked());
  Debugger debugger_{playback_};
};

TEST_F(ValuesTest, AKernelsParametersAreItsArguments) {
  EXPECT_EQ(value("n"), "5");
  EXPECT_EQ(value("in"), "in (0xa0000000000)");
  EXPECT_EQ(value("out + 3"), "out + 3 (0xa000000040c)");
  EXPECT_EQ(value("pair"), "{first = 3, second = 2}");
  EXPECT_EQ(value("pair.second * n"), "10");
}

TEST_F(ValuesTest, ARegisterHoldsWhatWasLastWrittenThere) {
  EXPECT_EQ(value("s"), "not yet written");
  at(9);
  EXPECT_EQ(value("s"), "1");
  EXPECT_EQ(value("d"),
            "error: there is no 'd' here; there is s, in, out, n, pair, tile, threadIdx, "
            "blockIdx, blockDim and gridDim");
  at(13);
  EXPECT_EQ(value("d"), "22");
  at(19);
  EXPECT_EQ(value("d"), "23");
}

TEST_F(ValuesTest, AnInnerVariableHidesTheOuterOne) {
  at(13);
  EXPECT_EQ(value("s"), "1");
  at(15);
  EXPECT_EQ(value("s"), "7");
  at(17);
  EXPECT_EQ(value("s"), "1");
}

TEST_F(ValuesTest, AFunctionsRegistersAreItsOwn) {
  at(4);
  EXPECT_EQ(value("v"), "11");
  EXPECT_EQ(value("i"), "1");
  EXPECT_EQ(value("p"), "tile (0x90000000000)") << "a generic address of shared memory";
  EXPECT_EQ(value("p[1]"), "11");
  EXPECT_EQ(value("*p"), "10");
  EXPECT_EQ(value("s", 1), "1") << "of the caller";
  EXPECT_EQ(value("n", 1), "5");
}

TEST_F(ValuesTest, AParameterIsThereFromTheFirstLineOn) {
  debugger_.breakpoints().add("work.cu", 2, "");
  debugger_.run();
  EXPECT_EQ(value("i"), "1");
  EXPECT_EQ(value("p[1]"), "11");
  EXPECT_EQ(value("v"), "not yet written");
}

TEST_F(ValuesTest, SharedMemoryIsWhatTheBlockHasStoredSoFar) {
  EXPECT_EQ(value("tile[0][1]"), "not recorded") << "a store comes before the first load";
  at(10);
  EXPECT_EQ(value("tile[0][1]"), "11");
  EXPECT_EQ(value("tile[0]"), "{10, 11, 12, 13, ?, ?, ?, ?}");
  EXPECT_EQ(value("tile[4][0]"), "not recorded") << "warp 1's";
  at(12);
  EXPECT_EQ(value("tile[4][0]"), "20");
  EXPECT_EQ(value("tile[8][0]"), "error: 'tile' has 8 elements, from 0 on: there is no [8]");
}

TEST_F(ValuesTest, GlobalMemoryIsKnownFromLaterLoads) {
  EXPECT_EQ(value("in[2]"), "12") << "loaded later, and nobody writes it";
  EXPECT_EQ(value("in[4]"), "not recorded");
  EXPECT_EQ(value("out[0]"), "not recorded");
  at(17);
  EXPECT_EQ(value("out[1]"), "29");
}

TEST_F(ValuesTest, LocalMemoryIsTheThreadsOwn) {
  at(17);
  EXPECT_EQ(value("history"), "not recorded");
  at(18);
  EXPECT_EQ(value("history"), "{22, 22}");
  EXPECT_EQ(value("history[1] + 0.5"), "22.5");
}

TEST_F(ValuesTest, BuiltInsAreTheFocusedThreads) {
  at(9, {1, 2});
  EXPECT_EQ(value("threadIdx.x"), "34");
  EXPECT_EQ(value("threadIdx"), "{x = 34, y = 0, z = 0}");
  EXPECT_EQ(value("blockIdx.x * blockDim.x + threadIdx.x"), "98");
  EXPECT_EQ(value("gridDim.x"), "2");
  EXPECT_EQ(value("warpSize"), "32");
  EXPECT_EQ(value("in[threadIdx.x]"), "22");
}

TEST_F(ValuesTest, OperatorsBindAsInC) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"1 + 2 * 3", "7"},  {"(1 + 2) * 3", "9"},
      {"7 / 2", "3"},      {"-7 % 4", "-3"},
      {"7 / 2.0", "3.5"},  {"1 << 4 | 1", "17"},
      {"5 & 4 == 4", "1"}, {"2 < 3 && 3 < 2", "0"},
      {"!0", "1"},         {"1 != 1 || 4 >= 4", "1"},
      {"0x10u", "16"},     {"-n", "-5"},
      {"n - 1", "4"},      {"10 - 3 - 2", "5"},
      {"1.5e1f", "15"},    {"6 ^ 3", "5"},
      {"n == 5", "1"},     {"(n)", "5"},
      {"- - n", "5"},      {"-9223372036854775807 - 1", "-9223372036854775808"}};
  for (const auto& [text, result] : table) EXPECT_EQ(value(text), result) << text;
  EXPECT_EQ(value("(-9223372036854775807 - 1) / -1"), "-9223372036854775808");
}

TEST_F(ValuesTest, WhatCannotBeShownIsSaidWhy) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", "expected a name or a number"},
      {"n +", "expected a name or a number"},
      {"n n", "'n' is not understood"},
      {"n = 3", "'= 3' is not understood"},
      {"(n", "expected ')' at the end"},
      {"tile[0", "expected ']' at the end"},
      {"n[0]", "is no array and no pointer"},
      {"n.x", "'n' has no member 'x'"},
      {"pair.third", "it has first and second"},
      {"1 / 0", "division by zero"},
      {"1.5 % 2", "for whole numbers"},
      {"tile + 1", "is no number here"},
      {"*n", "is no array and no pointer"},
      {"99999999999999999999", "too large"},
      {"m", "there is no 'm' here; there is "},
      {std::string(200, '('), "too deep"},
      {std::string(200, '*') + "in", "too deep"},
      {"s + 1", "'s' is no number here: not yet written"}};
  for (const auto& [text, words] : table)
    EXPECT_NE(value(text).find("error: "), std::string::npos) << text << ": " << value(text);
  for (const auto& [text, words] : table)
    EXPECT_NE(value(text).find(words), std::string::npos) << text << ": " << value(text);
}

TEST_F(ValuesTest, ValuesOpenIntoTheirParts) {
  at(12);
  const Moment moment = debugger_.moment();
  const Inspector& inspector = debugger_.inspector();
  const Value tile = *inspector.named("tile", nullptr, moment);
  ASSERT_EQ(inspector.children(tile, moment), 8u);
  const Value row = inspector.child(tile, 0, moment);
  EXPECT_EQ(row.name, "[0]");
  EXPECT_EQ(inspector.type(row).name, "float[8]");
  EXPECT_EQ(inspector.text(inspector.child(row, 3, moment), moment), "13");
  EXPECT_EQ(inspector.text(row, moment, 2), "{10, 11, …}");
  const auto frames = inspector.frames(moment);
  const Value pair = *inspector.named("pair", &frames.front(), moment);
  ASSERT_EQ(inspector.children(pair, moment), 2u);
  EXPECT_EQ(inspector.text(inspector.child(pair, 1, moment), moment), "2");
  const Value in = *inspector.named("in", &frames.front(), moment);
  ASSERT_EQ(inspector.children(in, moment), 1u);
  EXPECT_EQ(inspector.text(inspector.child(in, 0, moment), moment), "10");
}

TEST_F(ValuesTest, EqualNeighboursAreSaidOnce) {
  Trace trace = worked();
  TraceStep& store = trace.steps[2];
  store.accesses.front().count = 16;
  store.accesses.front().places = {0, 64, 128, 192};
  store.accesses.front().values.assign(64, 0x3f800000);
  const Playback playback = played(std::move(trace));
  Debugger debugger(playback);
  const Moment moment{4, {0, 0}};
  const Value tile = *debugger.inspector().named("tile", nullptr, moment);
  EXPECT_EQ(debugger.inspector().text(debugger.inspector().child(tile, 1, moment), moment),
            "{1, 1, 1, 1, 1, 1, 1, 1}");
  Trace flat = playback.trace();
  flat.types[6] = {"float[64]", TraceType::Kind::array, 256, 1, 64, {}};
  const Playback one_row = played(std::move(flat));
  Debugger wide(one_row);
  EXPECT_EQ(wide.inspector().text(*wide.inspector().named("tile", nullptr, moment), moment),
            "{1 <64 times>}");
}

TEST_F(ValuesTest, BeforeAnAtomicStandsWhatTheFirstTurnFoundAndThenWhatTheLastLeft) {
  Trace trace = worked();
  TraceStep& step = trace.steps[2];
  ASSERT_EQ(step.accesses.front().places.size(), 4u);
  step.accesses.front().kind = TraceKind::atomic;
  step.accesses.front().places.assign(4, 200);
  step.accesses.front().values = {5, 6, 7, 8};
  step.accesses.front().after = {6, 7, 8, 9};
  const Playback playback = played(std::move(trace));
  const MemoryReplay memory(playback);
  const MemoryPlace place{TraceSpace::shared, 0, 200};
  const std::size_t at = playback.shown(2);
  EXPECT_EQ(memory.bytes(place, 1, at).values.front(), 5);
  EXPECT_EQ(memory.bytes(place, 1, at + 1).values.front(), 9);
}

TEST_F(ValuesTest, AReferenceStandsForWhatItRefersTo) {
  Trace trace = worked();
  trace.types.push_back({"float&", TraceType::Kind::pointer, 8, 1, 0, {}});
  trace.functions[1].variables[0].type = static_cast<std::int32_t>(trace.types.size()) - 1;
  const Playback playback = played(std::move(trace));
  Debugger debugger(playback);
  debugger.breakpoints().add("work.cu", 4, "");
  debugger.run();
  const Moment moment = debugger.moment();
  const auto frames = debugger.inspector().frames(moment);
  const Value p = *debugger.inspector().named("p", &frames.front(), moment);
  EXPECT_EQ(debugger.inspector().type(p).name, "float");
  EXPECT_EQ(debugger.inspector().text(p, moment), "10");
}

}  // namespace
}  // namespace gridstride::sim
