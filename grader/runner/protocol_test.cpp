// Judge and runner understand each other, and neither can be harmed by the other's bytes.
#include "grader/runner/protocol.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace gridstride::protocol {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

TEST(Protocol, CarriesValuesUnchanged) {
  Writer writer;
  put(writer, Status{Status::Kind::cuda_error, 700, "cudaErrorIllegalAddress", "an illegal …"});
  put(writer, Argument{ArgumentKind::scratch, 0xa00'0000'0200, 64, bytes_of("12")});
  const auto bytes = writer.take();
  Reader reader(bytes);
  const Status status = get_status(reader);
  EXPECT_EQ(status.code, 700);
  EXPECT_EQ(status.name, "cudaErrorIllegalAddress");
  EXPECT_FALSE(status.ok());
  const Argument argument = get_argument(reader);
  EXPECT_EQ(argument.kind, ArgumentKind::scratch);
  EXPECT_EQ(argument.address, 0xa00'0000'0200u);
  EXPECT_EQ(argument.bytes, 64u);
  EXPECT_EQ(argument.value, bytes_of("12"));
  EXPECT_NO_THROW(reader.finish());
}

/// Random bytes, and messages with some bytes changed: values or WireError, nothing else.
TEST(Protocol, SurvivesAnyBytes) {
  std::mt19937_64 random(1);
  Writer writer;
  put(writer, Status{Status::Kind::exception, 1, "name", "text"});
  put(writer, Argument{ArgumentKind::scratch, 0xa00'0000'0200, 64, bytes_of("12")});
  const auto good = writer.take();
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> bytes = good;
    if (round % 2 == 0) {
      bytes.resize(random() % 64);
      for (auto& byte : bytes) byte = static_cast<std::byte>(random());
    } else {
      for (int change = 0; change < 3; ++change)
        bytes[random() % bytes.size()] = static_cast<std::byte>(random());
      bytes.resize(random() % (bytes.size() + 1));
    }
    try {
      Reader reader(bytes);
      get_status(reader);
      get_argument(reader);
      reader.finish();
    } catch (const WireError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 10000);
}

class ChannelTest : public testing::Test {
 protected:
  void SetUp() override {
    auto [ours, theirs] = connected_pair();
    peer_ = theirs.get();
    keep_ = std::move(theirs);
    channel_.emplace(std::move(ours));
  }
  void peer_writes(const void* data, std::size_t bytes) {
    ASSERT_EQ(::send(peer_, data, bytes, 0), static_cast<ssize_t>(bytes));
  }
  std::optional<Channel> channel_;
  UniqueFd keep_;
  int peer_ = -1;
};

TEST_F(ChannelTest, CarriesLargeMessages) {
  std::vector<std::byte> payload(5 << 20);
  for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<std::byte>(i * 7);
  Channel other(std::move(keep_));
  std::thread sender([&] { other.send(Operation::call, payload, std::nullopt); });
  const Message message = channel_->receive(Clock::now() + milliseconds(20000), payload.size());
  sender.join();
  EXPECT_EQ(message.operation, Operation::call);
  EXPECT_EQ(message.payload, payload);
}

TEST_F(ChannelTest, StopsWaitingForSilence) {
  EXPECT_THROW(channel_->receive(Clock::now() + milliseconds(30), 100), TimedOut);
}

TEST_F(ChannelTest, StopsWaitingForTheRestOfAMessage) {
  const sim::wire::Header header{8, 1, 0};
  peer_writes(&header, sizeof header);
  EXPECT_THROW(channel_->receive(Clock::now() + milliseconds(30), 100), TimedOut);
}

TEST_F(ChannelTest, IsNotHeldUpByDribbles) {
  std::thread dribble([fd = peer_] {
    const sim::wire::Header header{1000, 1, 0};
    ::send(fd, &header, sizeof header, MSG_NOSIGNAL);
    for (int i = 0; i < 100; ++i) {
      if (::send(fd, "x", 1, MSG_NOSIGNAL) < 0) return;
      std::this_thread::sleep_for(milliseconds(5));
    }
  });
  const auto begin = Clock::now();
  EXPECT_THROW(channel_->receive(begin + milliseconds(60), 4000), TimedOut);
  EXPECT_LT(Clock::now() - begin, milliseconds(400));
  channel_.reset();
  dribble.join();
}

TEST_F(ChannelTest, DoesNotBlockOnAPeerThatDoesNotRead) {
  const std::vector<std::byte> payload(8 << 20);
  EXPECT_THROW(channel_->send(Operation::call, payload, Clock::now() + milliseconds(30)), TimedOut);
}

TEST_F(ChannelTest, RefusesMessagesOverTheLimitBeforeAllocating) {
  const sim::wire::Header header{0xffffffffu, 1, 0};
  peer_writes(&header, sizeof header);
  EXPECT_THROW(channel_->receive(Clock::now() + milliseconds(1000), 100), WireError);
}

TEST_F(ChannelTest, RefusesWhatIsNoHeader) {
  peer_writes("score: 100/100, verdict pass", 28);
  EXPECT_THROW(channel_->receive(Clock::now() + milliseconds(1000), 1u << 20), WireError);
}

TEST_F(ChannelTest, NoticesTheEnd) {
  keep_.reset();
  EXPECT_THROW(channel_->receive(std::nullopt, 100), Closed);
  EXPECT_THROW(channel_->send(Operation::call, {}, std::nullopt), Closed);
}

}  // namespace
}  // namespace gridstride::protocol
