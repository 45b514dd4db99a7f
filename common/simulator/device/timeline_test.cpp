// Where streams, events and the host's clock put work on the modelled time axis.
#include "common/simulator/device/timeline.h"

#include <gtest/gtest.h>

#include <vector>

#include "common/simulator/base/error_of.h"

namespace gridstride::sim {
namespace {

constexpr double us = 1e-6;

TEST(Timeline, OneStreamRunsInOrder) {
  Timeline timeline;
  timeline.place(0, Engine::compute, 3 * us);
  const auto second = timeline.place(0, Engine::to_host, 2 * us);
  EXPECT_DOUBLE_EQ(second.start, 3 * us);
  EXPECT_DOUBLE_EQ(timeline.idle(), 5 * us);
}

TEST(Timeline, EventsMeasureWhatLiesBetweenThem) {
  Timeline timeline;
  const EventId start = timeline.create_event(), stop = timeline.create_event();
  timeline.place(0, Engine::compute, 10 * us);
  timeline.record(start, 0);
  timeline.place(0, Engine::compute, 7 * us);
  timeline.record(stop, 0);
  EXPECT_DOUBLE_EQ(timeline.elapsed(start, stop), 7 * us);
  EXPECT_DOUBLE_EQ(timeline.elapsed(stop, start), -7 * us);
}

TEST(Timeline, TheSameWorkTakesExactlyAsLongAtAnyMoment) {
  Timeline timeline;
  const EventId a = timeline.create_event(), b = timeline.create_event();
  const auto measured = [&] {
    timeline.record(a, 0);
    timeline.place(0, Engine::compute, 1.234567e-5);
    timeline.record(b, 0);
    return timeline.elapsed(a, b);
  };
  const double first = measured();
  timeline.place(0, Engine::compute, 12345.678901);
  EXPECT_EQ(measured(), first);
}

TEST(Timeline, AKernelIsPreparedWhileTheOneBeforeItRuns) {
  constexpr Timeline::LaunchCost cost{.host_seconds = 4 * us, .prepared_seconds = 1 * us};
  Timeline timeline;
  timeline.place_launch(0, 20 * us, cost);
  timeline.place_launch(0, 3 * us, cost);
  timeline.place_launch(0, 3 * us, cost);
  EXPECT_DOUBLE_EQ(timeline.idle(), 24 * us);
  // What stands between two kernels is in the way.
  const EventId event = timeline.create_event();
  timeline.record(event, 0);
  timeline.place_launch(0, 3 * us, cost);
  EXPECT_DOUBLE_EQ(timeline.idle(), 27 * us);
  timeline.place(0, Engine::to_host, 2 * us);
  timeline.place_launch(0, 3 * us, cost);
  EXPECT_DOUBLE_EQ(timeline.idle(), 32 * us);
}

TEST(Timeline, ShortKernelsWaitForTheHostThatLaunchesThem) {
  constexpr Timeline::LaunchCost cost{.host_seconds = 4 * us, .prepared_seconds = 1 * us};
  Timeline timeline;
  for (int i = 0; i < 10; ++i) timeline.place_launch(0, 2 * us, cost);
  EXPECT_DOUBLE_EQ(timeline.idle(), (9 * 4 + 2) * us);
  // … and not where the host is far ahead.
  Timeline ahead;
  ahead.begin_behind(100 * us);
  for (int i = 0; i < 10; ++i) ahead.place_launch(0, 2 * us, cost);
  EXPECT_DOUBLE_EQ(ahead.seconds_since(0), (2 + 9 * 1) * us);
  Timeline behind;
  behind.place_launch(0, 100 * us, cost);
  for (int i = 0; i < 10; ++i) behind.place_launch(0, 2 * us, cost);
  EXPECT_DOUBLE_EQ(behind.idle(), (100 + 10) * us);
}

TEST(Timeline, KernelsOfTwoStreamsFollowEachOtherWhenEachFillsTheDevice) {
  Timeline timeline;
  const StreamId a = timeline.create_stream(true), b = timeline.create_stream(true);
  timeline.place(a, Engine::compute, 5 * us);
  EXPECT_DOUBLE_EQ(timeline.place(b, Engine::compute, 5 * us).start, 5 * us);
}

TEST(Timeline, KernelsOfTwoStreamsRunSideBySideWhereTheyLeaveRoom) {
  Timeline timeline;
  const StreamId a = timeline.create_stream(true), b = timeline.create_stream(true),
                 c = timeline.create_stream(true);
  timeline.place(a, Engine::compute, 5 * us, 0.5);
  EXPECT_DOUBLE_EQ(timeline.place(b, Engine::compute, 8 * us, 0.5).start, 0);
  EXPECT_DOUBLE_EQ(timeline.place(c, Engine::compute, 1 * us, 0.25).start, 5 * us);
  EXPECT_DOUBLE_EQ(timeline.place(b, Engine::compute, 1 * us, 0.1).start, 8 * us);  // in order
  EXPECT_DOUBLE_EQ(timeline.place(a, Engine::compute, 1 * us, 1).start, 9 * us);
}

TEST(Timeline, AKernelThatWaitsForACopyLeavesTheDeviceToOthers) {
  Timeline timeline;
  const StreamId a = timeline.create_stream(true), b = timeline.create_stream(true);
  timeline.place(a, Engine::to_device, 10 * us);
  timeline.place(a, Engine::compute, 5 * us);
  EXPECT_DOUBLE_EQ(timeline.place(b, Engine::compute, 10 * us).start, 0);
  EXPECT_DOUBLE_EQ(timeline.place(b, Engine::compute, 1 * us).start, 15 * us);
}

TEST(Timeline, RemembersABoundedNumberOfKernels) {
  Timeline timeline;
  std::vector<StreamId> streams;
  for (int i = 0; i < 200; ++i) streams.push_back(timeline.create_stream(true));
  for (const StreamId stream : streams) timeline.place(stream, Engine::compute, 1 * us, 0.001);
  EXPECT_DOUBLE_EQ(timeline.idle(), 2 * us);  // 128 at once
}

TEST(Timeline, CopiesOverlapWithKernelsOfAnotherStream) {
  Timeline timeline;
  const StreamId a = timeline.create_stream(true), b = timeline.create_stream(true);
  timeline.place(a, Engine::compute, 5 * us);
  EXPECT_DOUBLE_EQ(timeline.place(b, Engine::to_device, 4 * us).start, 0);
  EXPECT_DOUBLE_EQ(timeline.idle(), 5 * us);
}

TEST(Timeline, TheDefaultStreamWaitsForBlockingStreamsAndTheyForIt) {
  Timeline timeline;
  const StreamId blocking = timeline.create_stream(false), free = timeline.create_stream(true);
  timeline.place(blocking, Engine::to_device, 4 * us);
  timeline.place(free, Engine::to_host, 9 * us);
  EXPECT_DOUBLE_EQ(timeline.place(0, Engine::compute, 1 * us).start, 4 * us);
  EXPECT_DOUBLE_EQ(timeline.place(blocking, Engine::to_device, 1 * us).start, 5 * us);
}

TEST(Timeline, ADestroyedStreamsWorkStillCompletes) {
  Timeline timeline;
  const StreamId stream = timeline.create_stream(false);
  timeline.place(stream, Engine::to_device, 4 * us);
  timeline.destroy_stream(stream);
  EXPECT_DOUBLE_EQ(timeline.place(0, Engine::compute, 1 * us).start, 4 * us);
}

TEST(Timeline, AStreamWaitsForAnEventOfAnother) {
  Timeline timeline;
  const StreamId a = timeline.create_stream(true), b = timeline.create_stream(true);
  const EventId done = timeline.create_event(), never = timeline.create_event();
  timeline.place(a, Engine::to_device, 6 * us);
  timeline.record(done, a);
  timeline.wait(b, never);
  timeline.wait(b, done);
  EXPECT_DOUBLE_EQ(timeline.place(b, Engine::compute, 1 * us).start, 6 * us);
}

TEST(Timeline, WhatFollowsASynchronisationStartsAfterIt) {
  Timeline timeline;
  const StreamId a = timeline.create_stream(true), b = timeline.create_stream(true);
  timeline.place(a, Engine::to_device, 6 * us);
  timeline.synchronize(a);
  EXPECT_DOUBLE_EQ(timeline.place(b, Engine::to_host, 1 * us).start, 6 * us);
}

TEST(Timeline, NamesWhatIsWrongWithAHandle) {
  Timeline timeline;
  const StreamId stream = timeline.create_stream(true);
  const EventId event = timeline.create_event();
  timeline.destroy_stream(stream);
  EXPECT_EQ(error_of([&] { timeline.place(stream, Engine::compute, 0); }), 400);
  EXPECT_EQ(error_of([&] { timeline.destroy_stream(stream); }), 400);
  EXPECT_EQ(error_of([&] { timeline.destroy_stream(0); }), 400);
  EXPECT_EQ(error_of([&] { timeline.record(77, 0); }), 400);
  EXPECT_EQ(error_of([&] { timeline.elapsed(event, event); }), 400);
}

TEST(Timeline, AbsurdDurationsAreBounded) {
  Timeline timeline;
  EXPECT_DOUBLE_EQ(timeline.place(0, Engine::compute, -1).seconds, 0);
  EXPECT_DOUBLE_EQ(timeline.place(0, Engine::compute, 1e300).seconds, 1e5);
  EXPECT_DOUBLE_EQ(timeline.place(0, Engine::compute, 0.0 / 0.0).seconds, 1e5);
}

}  // namespace
}  // namespace gridstride::sim
