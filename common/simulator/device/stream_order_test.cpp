// Which uses of streams are ordered with the one that a call was given, and which are not.
#include "common/simulator/device/stream_order.h"

#include <gtest/gtest.h>

#include <string>

namespace gridstride::sim {
namespace {

constexpr StreamId given = 1, other = 2, third = 3, blocking = 4;
constexpr EventId before = 1, after = 2;

class StreamOrderTest : public testing::Test {
 protected:
  StreamOrderTest() {
    for (const StreamId stream : {given, other, third}) order_.create_stream(stream, true);
    order_.create_stream(blocking, false);
    order_.give(given);
    order_.begin_call();
  }
  /// Nothing is said of the operation.
  void right(StreamId stream) { EXPECT_EQ(order_.add(stream, "The kernel k()"), ""); }
  void expect_early(StreamId stream) {
    const std::string said = order_.add(stream, "The kernel k()");
    EXPECT_NE(said.find("nothing orders it behind the work that stands in the given stream"),
              std::string::npos)
        << said;
    EXPECT_EQ(order_.add(stream, "The kernel k()") + order_.end_call(), "") << "said once a call";
  }
  void expect_right_end() { EXPECT_EQ(order_.end_call(), ""); }
  void expect_left_over() {
    const std::string said = order_.end_call();
    EXPECT_NE(said.find("nothing that follows the call in the given stream waits for it"),
              std::string::npos)
        << said;
  }
  void fork(StreamId stream) {
    order_.record(before, given);
    order_.wait(stream, before);
  }
  void join(StreamId stream) {
    order_.record(after, stream);
    order_.wait(given, after);
  }

  StreamOrder order_;
};

TEST_F(StreamOrderTest, TheGivenStreamAloneIsRight) {
  right(given);
  right(given);
  expect_right_end();
}

TEST_F(StreamOrderTest, TheDefaultStreamIsNotOrderedWithIt) {
  right(given);
  expect_early(0);
}

TEST_F(StreamOrderTest, AnotherStreamIsNotEither) { expect_early(other); }

TEST_F(StreamOrderTest, BetweenEventsAFurtherStreamIsRight) {
  right(given);
  fork(other);
  right(other);
  right(given);
  join(other);
  expect_right_end();
}

TEST_F(StreamOrderTest, EventsLeadOverSeveralStreams) {
  fork(other);
  right(other);
  order_.record(after, other);
  order_.wait(third, after);
  right(third);
  join(third);  // which comes behind `other`
  expect_right_end();
}

TEST_F(StreamOrderTest, WorkThatNothingWaitsForIsLeftOver) {
  fork(other);
  right(other);
  join(other);
  right(other);
  expect_left_over();
}

TEST_F(StreamOrderTest, AnEventThatIsNotWaitedForOrdersNothing) {
  order_.record(before, given);
  expect_early(other);
}

TEST_F(StreamOrderTest, AnEventOfTheCallBeforeOrdersNothing) {
  order_.record(before, given);
  expect_right_end();
  order_.begin_call();
  order_.wait(other, before);
  expect_early(other);
}

TEST_F(StreamOrderTest, WaitingOnTheHostOrders) {
  right(given);
  order_.synchronize(given);
  right(0);
  right(other);
  order_.synchronize(std::nullopt);
  right(third);
  order_.synchronize(third);
  expect_right_end();
}

TEST_F(StreamOrderTest, TheHostThatWaitsForOneStreamKnowsNothingOfOthers) {
  order_.synchronize(given);
  right(0);
  right(other);
  order_.synchronize(other);
  expect_left_over();
}

TEST_F(StreamOrderTest, BlockingStreamsAreOrderedWithTheDefaultStream) {
  fork(blocking);
  right(blocking);
  right(0);
  right(blocking);
  join(0);  // an event there comes behind all blocking streams
  expect_right_end();
}

TEST_F(StreamOrderTest, ADestroyedStreamsWorkHasToBeWaitedForToo) {
  fork(other);
  right(other);
  order_.destroy_stream(other);
  expect_left_over();
  order_.begin_call();
  right(given);
  expect_right_end();
}

TEST_F(StreamOrderTest, MigrationsAreNotTheProgramsWork) {
  order_.exempt(third);
  right(third);
  expect_right_end();
}

TEST_F(StreamOrderTest, TheFirstStreamThatIsGivenCounts) {
  order_.give(0);
  order_.begin_call();
  expect_early(0);
}

TEST(StreamOrder, OutsideOfACallAnythingGoes) {
  StreamOrder order;
  EXPECT_EQ(order.add(0, "A memset"), "");
  order.begin_call();
  EXPECT_EQ(order.add(0, "A memset"), "") << "no stream was given";
  EXPECT_EQ(order.end_call(), "");
}

TEST_F(StreamOrderTest, TheGivenStreamMayBeGone) {
  order_.destroy_stream(given);
  expect_right_end();
  order_.begin_call();
  right(0);
  expect_right_end();
}

}  // namespace
}  // namespace gridstride::sim
