// Steps, breakpoints and the way back, on a recording of two warps.
#include "common/simulator/debugger/debugger.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/debugger/test_recording.h"

namespace gridstride::sim {
namespace {

class DebuggerTest : public testing::Test {
 protected:
  std::uint32_t line() const { return frames().empty() ? 0 : frames().front().line.line; }
  std::vector<StackFrame> frames() const {
    return debugger_.inspector().frames(debugger_.moment());
  }
  std::string value(const std::string& expression) const {
    const auto all = frames();
    const Moment moment = debugger_.moment();
    const Value value =
        evaluate(expression, debugger_.inspector(), all.empty() ? nullptr : &all.front(), moment);
    return debugger_.inspector().text(value, moment);
  }
  /// All that a user can see of where it stands.
  std::string state() const {
    std::string text = std::to_string(debugger_.moment().position);
    for (const StackFrame& frame : frames())
      text += " " + frame.name + ":" + std::to_string(frame.line.line);
    if (frames().empty()) return text;
    const Moment moment = debugger_.moment();
    const Inspector& inspector = debugger_.inspector();
    for (const auto& values : {inspector.parameters(frames().front(), moment),
                               inspector.locals(frames().front(), moment), inspector.shared(moment),
                               inspector.globals()}) {
      for (const Value& one : values) text += " " + one.name + "=" + inspector.text(one, moment);
    }
    return text;
  }

  Playback playback_ = played(worked());
  Debugger debugger_{playback_};
};

TEST_F(DebuggerTest, StepGoesFromLineToLineAndIntoCalls) {
  EXPECT_EQ(line(), 8u);
  std::vector<std::uint32_t> lines;
  while (debugger_.step().reason == StopReason::step) lines.push_back(line());
  // Where twice() is entered, in line 2, nobody stops; it returns into the middle of line 12.
  EXPECT_EQ(lines, (std::vector<std::uint32_t>{9, 10, 12, 3, 4, 5, 12, 13, 14, 15, 17, 18, 19}));
}

TEST_F(DebuggerTest, OnlyALanesOwnStepsCount) {
  debugger_.set_focus({0, 3});
  std::vector<std::uint32_t> lines;
  while (debugger_.next().reason == StopReason::step) lines.push_back(line());
  EXPECT_EQ(lines, (std::vector<std::uint32_t>{9, 10, 12, 13, 17, 18, 19}))
      << "lane 3 does not take the branch";
}

TEST_F(DebuggerTest, BackGivesWhatWasSeenBefore) {
  for (const Focus focus : {Focus{0, 0}, Focus{0, 2}, Focus{1, 1}}) {
    debugger_.restart();
    debugger_.set_focus(focus);
    debugger_.step();
    std::vector<std::string> seen;
    do {
      seen.push_back(state());
    } while (debugger_.step().reason == StopReason::step);
    EXPECT_EQ(debugger_.moment().position, debugger_.end());
    for (auto before = seen.rbegin(); before != seen.rend(); ++before) {
      ASSERT_EQ(debugger_.back().reason, StopReason::step);
      EXPECT_EQ(state(), *before);
    }
    debugger_.back();
    EXPECT_EQ(debugger_.back().reason, StopReason::begin);
  }
}

TEST_F(DebuggerTest, BackUndoesWhateverWentForward) {
  while (line() != 12) debugger_.next();
  for (Stop (Debugger::*motion)() : {&Debugger::step, &Debugger::next, &Debugger::step_instruction,
                                     &Debugger::step_block, &Debugger::finish}) {
    const std::string before = state();
    (debugger_.*motion)();
    EXPECT_NE(state(), before);
    debugger_.back();
    EXPECT_EQ(state(), before);
  }
  debugger_.next();
  debugger_.set_focus({0, 1});
  debugger_.back();
  EXPECT_EQ(line(), 12u) << "of another thread it is the line before";
}

TEST_F(DebuggerTest, BackGoesLineByLineWhereNoStepWas) {
  debugger_.run();
  std::vector<std::uint32_t> lines;
  while (debugger_.back().reason == StopReason::step) lines.push_back(line());
  EXPECT_EQ(lines, (std::vector<std::uint32_t>{19, 18, 17, 15, 14, 13, 12, 5, 4, 3, 12, 10, 9, 8}));
}

TEST_F(DebuggerTest, InstructionsGoForwardAndBackToo) {
  debugger_.step_instruction();
  EXPECT_EQ(debugger_.moment().position, 1u);
  debugger_.step_instruction();
  EXPECT_EQ(line(), 9u) << "the second instruction of its line";
  const std::string here = state();
  debugger_.step_instruction();
  debugger_.back_instruction();
  EXPECT_EQ(state(), here);
  debugger_.back();
  EXPECT_EQ(debugger_.moment().position, 1u) << "in the middle of a line its beginning comes first";
}

TEST_F(DebuggerTest, FinishLeavesAFunction) {
  debugger_.breakpoints().add("work.cu", 3, "");
  ASSERT_EQ(debugger_.run().reason, StopReason::breakpoint);
  ASSERT_EQ(frames().size(), 2u);
  EXPECT_EQ(frames()[0].name, "twice");
  EXPECT_EQ(frames()[1].name, "work");
  EXPECT_EQ(frames()[1].line.line, 12u);
  debugger_.finish();
  EXPECT_EQ(frames().size(), 1u);
  EXPECT_EQ(line(), 12u);
}

TEST_F(DebuggerTest, ABreakpointStopsEachWarpAndTheFocusGoesThere) {
  debugger_.breakpoints().add("labs/work.cu", 12, "");
  EXPECT_EQ(debugger_.run().reason, StopReason::breakpoint);
  EXPECT_EQ(debugger_.moment().focus, (Focus{0, 0}));
  EXPECT_EQ(debugger_.resume().reason, StopReason::breakpoint) << "not again where it returns";
  EXPECT_EQ(debugger_.moment().focus, (Focus{1, 0}));
  EXPECT_EQ(debugger_.resume().reason, StopReason::end);
  EXPECT_EQ(debugger_.reverse_resume().reason, StopReason::breakpoint);
  EXPECT_EQ(debugger_.moment().focus, (Focus{1, 0}));
  debugger_.reverse_resume();
  EXPECT_EQ(debugger_.moment().focus, (Focus{0, 0}));
  EXPECT_EQ(debugger_.reverse_resume().reason, StopReason::begin);
}

TEST_F(DebuggerTest, ABreakpointStandsOnlyWhereSomeThreadComes) {
  const Breakpoint comment = debugger_.breakpoints().add("work.cu", 11, "");
  EXPECT_TRUE(comment.verified);
  EXPECT_EQ(comment.line, 12u);
  const Breakpoint declaration = debugger_.breakpoints().add("work.cu", 7, "");
  EXPECT_FALSE(declaration.verified);
  EXPECT_EQ(declaration.says, "no recorded thread comes to line 7; the next that is run is 8");
  EXPECT_FALSE(debugger_.breakpoints().add("other.cu", 8, "").verified);
  EXPECT_FALSE(debugger_.breakpoints().add("rk.cu", 8, "").verified)
      << "a part of a name is no name";
  const Breakpoint function = debugger_.breakpoints().add_function("twice", "");
  EXPECT_EQ(function.line, 3u) << "where its parameters are in place";
  EXPECT_FALSE(debugger_.breakpoints().add_function("thrice", "").verified);
}

TEST_F(DebuggerTest, AConditionIsThatOfALane) {
  debugger_.breakpoints().add("work.cu", 17, "threadIdx.x == 34 && d > 21.5");
  EXPECT_EQ(debugger_.run().reason, StopReason::breakpoint);
  EXPECT_EQ(debugger_.moment().focus, (Focus{1, 2}));
  EXPECT_EQ(debugger_.resume().reason, StopReason::end);
}

TEST_F(DebuggerTest, NextStopsAtABreakpointOfItsOwnThread) {
  debugger_.breakpoints().add("work.cu", 3, "");
  while (line() != 12) debugger_.next();
  EXPECT_EQ(debugger_.next().reason, StopReason::breakpoint);
  EXPECT_EQ(line(), 3u);
  EXPECT_EQ(debugger_.moment().focus, (Focus{0, 0}));
}

TEST_F(DebuggerTest, AFindingStopsBeforeItIsMade) {
  const Playback playback = played(worked_with_finding());
  Debugger debugger(playback);
  const Stop stop = debugger.run();
  EXPECT_EQ(stop.reason, StopReason::finding);
  EXPECT_EQ(stop.finding, 0);
  EXPECT_EQ(debugger.moment().focus, (Focus{1, 1})) << "the thread that the message names";
  EXPECT_EQ(debugger.inspector().frames(debugger.moment()).front().line.line, 3u);
  EXPECT_EQ(debugger.resume().reason, StopReason::end);
  EXPECT_EQ(debugger.reverse_resume().reason, StopReason::finding);
  debugger.restart();
  debugger.stop_at_findings(false);
  EXPECT_EQ(debugger.resume().reason, StopReason::end);
}

TEST_F(DebuggerTest, SteppingABlockWaitsForEachWarp) {
  debugger_.step_block();
  for (const std::uint32_t warp : {0u, 1u}) {
    const auto next = debugger_.steps().next_of_warp(warp, debugger_.moment().position);
    EXPECT_NE(playback_.op(*next).line, 8u) << warp;
  }
  // Warp 0 waits at the barrier meanwhile, and need not leave it.
  EXPECT_TRUE(debugger_.steps().waits(0, debugger_.moment().position));
  EXPECT_FALSE(debugger_.steps().waits(1, debugger_.moment().position));
  std::size_t before = debugger_.moment().position;
  while (debugger_.step_block().reason == StopReason::step) {
    EXPECT_GT(debugger_.moment().position, before);
    before = debugger_.moment().position;
  }
  EXPECT_EQ(debugger_.moment().position, debugger_.end());
}

TEST_F(DebuggerTest, TheEndSaysWhetherAllWasRecorded) {
  EXPECT_EQ(debugger_.run().text, "The recorded blocks have ended.");
  Trace cut = worked();
  cut.cut = true;
  const Playback playback = played(std::move(cut));
  EXPECT_NE(Debugger(playback).run().text.find("the launch went on"), std::string::npos);
  Trace failed = worked();
  failed.reason = "an illegal memory access";
  const Playback broken = played(std::move(failed));
  EXPECT_EQ(Debugger(broken).run().text,
            "The launch ended with an error: an illegal memory access");
  EXPECT_STREQ(debugger_.end_of_thread(), "ended");
  EXPECT_STREQ(Debugger(playback).end_of_thread(), "recorded no further");
  EXPECT_STREQ(Debugger(broken).end_of_thread(), "no longer running")
      << "it may have had more to do";
}

TEST_F(DebuggerTest, AThreadThatHasEndedShowsItsLastFunction) {
  debugger_.run();
  EXPECT_TRUE(debugger_.has_ended({0, 0}));
  ASSERT_EQ(frames().size(), 1u);
  EXPECT_EQ(line(), 19u);
  EXPECT_EQ(value("d"), "23");
  debugger_.set_focus({0, 9});  // a lane that never ran
  EXPECT_TRUE(frames().empty());
}

TEST_F(DebuggerTest, ThreadsHaveNamesAndThoseThatAreNotThereAreRefused) {
  EXPECT_EQ(debugger_.thread_named({1, 0, 0}, 33), (Focus{1, 1}));
  EXPECT_EQ(debugger_.thread_named({1, 0, 0}, Dim3{33, 0, 0}), (Focus{1, 1}));
  EXPECT_THROW(debugger_.thread_named({0, 0, 0}, 0), DebugError) << "a block that is not recorded";
  EXPECT_THROW(debugger_.thread_named({1, 0, 0}, 64), DebugError);
  EXPECT_THROW(debugger_.thread_named({1, 0, 0}, Dim3{0, 1, 0}), DebugError);
}

}  // namespace
}  // namespace gridstride::sim
