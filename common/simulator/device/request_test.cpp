// Every request of the list: it comes across as it went, nothing else is taken for it, and the
// device behind the socket does what the device itself does.
#include "common/simulator/device/request.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/simulator/device/device_server.h"
#include "common/simulator/device/local_device.h"
#include "common/simulator/device/protocol.h"
#include "common/simulator/device/random_request.h"
#include "common/simulator/device/remote_device.h"
#include "common/unique_fd.h"

namespace gridstride::sim::wire {
namespace {

template <class Request>
void expect_refused(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  EXPECT_THROW(Request::unpack(reader), WireError) << Request::number << ": " << bytes.size();
}

template <class List>
void check_arguments() {
  List::for_each([]<class Request>() {
    RandomValues values{std::mt19937_64(Request::number)};
    for (int round = 0; round < 50; ++round) {
      const auto held = random_arguments<Request>(values);
      auto bytes = bytes_of(held);
      Reader reader(bytes);
      EXPECT_EQ(bytes_of(Request::unpack(reader)), bytes) << Request::number;
      for (std::size_t length = 0; length < bytes.size(); ++length) {
        expect_refused<Request>(std::span(bytes).first(length));
      }
      bytes.push_back(std::byte{0});
      expect_refused<Request>(bytes);
    }
  });
}

TEST(Request, ArgumentsComeAcrossAsTheyWentAndNotInPart) {
  check_arguments<ClientRequests>();
  check_arguments<JudgeRequests>();
}

template <class Result>
void check_result() {
  if constexpr (!std::is_void_v<Result>) {
    RandomValues values{std::mt19937_64(7)};
    for (int round = 0; round < 20; ++round) {
      Result sent{}, got{};
      travel(values, sent);
      auto bytes = bytes_of(std::tuple(sent));
      Reader reader(bytes);
      In in{reader};
      travel(in, got);
      reader.finish();
      EXPECT_EQ(bytes_of(std::tuple(got)), bytes);
      for (std::size_t length = 0; length < bytes.size(); ++length) {
        Reader part(std::span<const std::byte>(bytes).first(length));
        In in_part{part};
        EXPECT_THROW(travel(in_part, got), WireError);
      }
    }
  }
}

template <class Result, class... Arguments>
void check_result_of(Result (Device::*)(Arguments...)) {
  check_result<Result>();
}

TEST(Request, ResultsComeBackAsTheyWentAndNotInPart) {
  const auto check = []<class Request>() { check_result_of(Request::function); };
  ClientRequests::for_each(check);
  JudgeRequests::for_each(check);
}

TEST(Request, TextAndReadsAreLimited) {
  using Note = RequestFor<&Device::note_maker, ClientRequests>;
  using Read = RequestFor<&Device::read, ClientRequests>;
  using Held = Read::Held;
  const auto note = Note::pack(1, std::string(most_text_bytes, 'x'));
  Reader reader(note);
  EXPECT_EQ(std::get<1>(Note::unpack(reader)).size(), most_text_bytes);
  expect_refused<Note>(Note::pack(1, std::string(most_text_bytes + 1, 'x')));

  const auto most = bytes_of(Held{ReplyBytes{max_bulk_bytes}, 0, 0});
  Reader read(most);
  EXPECT_EQ(std::get<0>(Read::unpack(read)).count, max_bulk_bytes);
  expect_refused<Read>(bytes_of(Held{ReplyBytes{max_bulk_bytes + 1}, 0, 0}));
  expect_refused<Read>(bytes_of(Held{ReplyBytes{~std::uint64_t{0}}, 0, 0}));
}

TEST(Request, AReplyOfAnotherLengthIsNotARead) {
  using Read = RequestFor<&Device::read, ClientRequests>;
  std::array<std::byte, 4> memory{};
  Read::result({std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}}, memory, 0, 0);
  EXPECT_EQ(memory[3], std::byte{4});
  EXPECT_THROW(Read::result(std::vector<std::byte>(3), memory, 0, 0), WireError);
  EXPECT_THROW(Read::result(std::vector<std::byte>(5), memory, 0, 0), WireError);
}

/// What a call gives: its reply, or its error.
template <class Request>
std::tuple<std::vector<std::byte>, int, bool, std::string> outcome(Device& device,
                                                                   const auto& arguments) {
  try {
    return {Request::call(device, arguments), 0, false, ""};
  } catch (const DeviceError& error) {
    return {{}, error.code(), error.sticky(), error.what()};
  }
}

TEST(Request, TheDeviceBehindTheSocketDoesWhatTheDeviceDoes) {
  std::array<int, 2> client{}, control{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, client.data()), 0);
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, control.data()), 0);
  UniqueFd judge(control[0]);
  std::thread serving([end = UniqueFd(client[1]), other = UniqueFd(control[1])]() mutable {
    LocalDevice device;
    DeviceServer(device, std::move(end), std::move(other)).run();
  });
  {
    LocalDevice local;
    RemoteDevice remote{UniqueFd(client[0])};
    RandomValues values{std::mt19937_64(11)};
    int went_well = 0, failed = 0;
    for (int round = 0; round < 200; ++round) {
      ClientRequests::for_each([&]<class Request>() {
        if constexpr (!trusts_its_caller<Request>) {
          const auto arguments = random_arguments<Request>(values);
          const auto here = outcome<Request>(local, arguments);
          EXPECT_EQ(outcome<Request>(remote, arguments), here)
              << "request " << Request::number << " in round " << round << ": "
              << std::get<3>(here);
          ++(std::get<1>(here) == 0 ? went_well : failed);
        }
      });
    }
    EXPECT_GT(went_well, 1000);
    EXPECT_GT(failed, 1000);
  }
  judge.reset();
  serving.join();
}

}  // namespace
}  // namespace gridstride::sim::wire
