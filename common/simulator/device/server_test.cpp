// A client that nobody trusts against the server, and RemoteDevice as its honest client.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/simulator/base/error_of.h"
#include "common/simulator/device/blocking.h"
#include "common/simulator/device/device_server.h"
#include "common/simulator/device/local_device.h"
#include "common/simulator/device/protocol.h"
#include "common/simulator/device/remote_device.h"
#include "common/unique_fd.h"

namespace gridstride::sim {
namespace {

using namespace std::chrono_literals;

template <auto function>
constexpr std::uint16_t client_number = wire::ClientRequests::number_of<function>();
template <auto function>
constexpr std::uint16_t judge_number = wire::JudgeRequests::number_of<function>();

std::pair<UniqueFd, UniqueFd> socket_pair() {
  std::array<int, 2> fds{};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds.data()), 0);
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

/// A server in a thread, with both far ends of its sockets.
class Server {
 public:
  Server() {
    auto [client, client_end] = socket_pair();
    auto [control, control_end] = socket_pair();
    client_ = std::move(client_end);
    control_ = std::move(control_end);
    thread_ = std::thread([client = std::move(client), control = std::move(control)]() mutable {
      LocalDevice device;
      DeviceServer(device, std::move(client), std::move(control)).run();
    });
  }
  ~Server() {
    control_.reset();
    thread_.join();
  }

  UniqueFd take_client() { return std::move(client_); }
  UniqueFd& client() { return client_; }

  Message ask(std::uint16_t number, const std::vector<std::byte>& payload = {}) {
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    send_message(control_.get(), number, payload, deadline);
    return receive_message(control_.get(), wire::max_activity_bytes, deadline);
  }
  bool answers() {
    return ask(judge_number<&Device::end_call>).operation ==
           static_cast<std::uint16_t>(wire::Reply::ok);
  }
  /// True when the server has closed the client's connection.
  bool client_is_closed() {
    pollfd polled{.fd = client_.get(), .events = POLLIN, .revents = 0};
    std::byte byte;
    return poll(&polled, 1, 10'000) == 1 && recv(client_.get(), &byte, 1, 0) <= 0;
  }

 private:
  UniqueFd client_, control_;
  std::thread thread_;
};

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

TEST(DeviceServer, RemoteDeviceKeepsMemory) {
  Server server;
  RemoteDevice device(server.take_client());
  const DeviceAddress address = device.allocate(100);
  device.write(address, bytes_of("hello"), 0);
  device.fill(address + 5, '!', 1, 3, 0);
  device.copy(address + 50, address, 8, 0);
  std::vector<std::byte> back(8);
  device.read(back, address + 50, 0);
  EXPECT_EQ(back, bytes_of("hello!!!"));
  EXPECT_TRUE(device.is_device_address(address));
  device.release(address);
  EXPECT_FALSE(device.is_device_address(address));
}

TEST(DeviceServer, LargeTransfersAreSentInPieces) {
  Server server;
  RemoteDevice device(server.take_client());
  std::vector<std::byte> data(wire::max_bulk_bytes * 2 + 12345);
  std::mt19937 random(2);
  for (std::size_t i = 0; i < data.size(); i += 101) data[i] = static_cast<std::byte>(random());
  const DeviceAddress address = device.allocate(data.size());
  device.write(address, data, 0);
  std::vector<std::byte> back(data.size());
  device.read(back, address, 0);
  EXPECT_EQ(back, data);
}

TEST(DeviceServer, WhoMadeAnAllocationComesAcrossAndIsMadeSafe) {
  Server server;
  std::string site = "in \x1b[2J" + std::string(5000, 'x');
  RemoteDevice device(server.take_client(), [&site] { return site; });
  const DeviceAddress first = device.allocate(100), second = device.allocate(100);
  device.note_maker(second, "by the \nother");
  EXPECT_EQ(error_of([&] { device.note_maker(first + 1, "nobody"); }), 1);
  EXPECT_EQ(error_of([&] { device.note_maker(0, "nobody"); }), 1);
  const auto title = [&](DeviceAddress address) -> std::string {
    device.release(address);
    try {
      device.release(address);
    } catch (const DeviceError& error) {
      return error.what();
    }
    return "";
  };
  const std::string one = title(first), other = title(second);
  EXPECT_NE(one.find("(the 1st cudaMalloc, in xxx"), std::string::npos) << one;
  EXPECT_LT(one.size(), 400u);
  EXPECT_NE(other.find("(the 2nd cudaMalloc, by the \nother)"), std::string::npos) << other;
}

TEST(DeviceServer, TooManyWordsForAPlaceEndTheConnection) {
  Server server;
  using Allocate = wire::RequestFor<&Device::allocate_for, wire::ClientRequests>;
  const auto request = Allocate::pack(100, std::string(wire::most_text_bytes + 1, 'x'));
  send_message(server.client().get(), Allocate::number, request, {});
  EXPECT_TRUE(server.client_is_closed());
  EXPECT_TRUE(server.answers());
}

TEST(DeviceServer, ErrorsComeAcrossWithCodeAndWords) {
  Server server;
  RemoteDevice device(server.take_client());
  EXPECT_EQ(error_of([&] { device.allocate(std::uint64_t{1} << 60); }), 2);
  EXPECT_EQ(error_of([&] { device.release(123); }), 1);
  LaunchRequest request;
  request.kernel = 9;
  EXPECT_EQ(error_of([&] { device.launch(request); }), 98);
  EXPECT_EQ(error_of([&] { device.record(1, 2); }), 400);
  EXPECT_EQ(error_of([&] { device.load_module({bytes_of("not a fat binary at all")}, {}); }), 200);
  EXPECT_EQ(error_of([&] { device.mark(true); }), 801);
  EXPECT_EQ(error_of([&] { device.begin_call({}); }), 801);
  EXPECT_EQ(error_of([&] { device.end_call(); }), 801);
  try {
    device.allocate(std::uint64_t{1} << 60);
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("do not fit"), std::string::npos);
  }
}

TEST(DeviceServer, EventsMeasureModelledTime) {
  Server server;
  RemoteDevice device(server.take_client());
  const DeviceAddress address = device.allocate(1 << 20);
  const EventId start = device.create_event(), stop = device.create_event();
  device.record(start, 0);
  device.fill(address, 0, 4, 1 << 18, 0);
  device.record(stop, 0);
  EXPECT_EQ(device.synchronize({}), "");
  EXPECT_GT(device.elapsed(start, stop), 1e-6);
}

TEST(DeviceServer, JudgeSeesWhatTheClientDidSinceTheCallBegan) {
  Server server;
  RemoteDevice device(server.take_client());
  const DeviceAddress address = device.allocate(1 << 20);
  device.fill(address, 0, 1, 1 << 20, 0);
  using Begin = wire::RequestFor<&Device::begin_call, wire::JudgeRequests>;
  using End = wire::RequestFor<&Device::end_call, wire::JudgeRequests>;
  server.ask(Begin::number, Begin::pack({}));
  device.write(address, bytes_of("12345678"), 0);
  const Message reply = server.ask(End::number);
  const Activity activity = End::result(reply.payload).activity;
  EXPECT_EQ(activity.host_to_device_bytes, 8u);
  EXPECT_GT(activity.seconds, 0);
  EXPECT_LT(activity.seconds, 2e-6);
}

TEST(DeviceServer, ClientCannotUseTheJudgesRequests) {
  for (const std::uint16_t number :
       {judge_number<&Device::begin_call>, judge_number<&Device::end_call>,
        static_cast<std::uint16_t>(wire::Reply::ok)}) {
    Server server;
    send_message(server.client().get(), number, {std::byte{0}}, {});
    EXPECT_TRUE(server.client_is_closed());
    EXPECT_TRUE(server.answers());
  }
}

TEST(DeviceServer, MalformedRequestsEndTheConnectionOnly) {
  const struct {
    std::uint16_t number;
    std::vector<std::byte> payload;
  } requests[] = {
      {client_number<&Device::allocate_for>, {}},
      {client_number<&Device::allocate_for>, std::vector<std::byte>(17)},
      {client_number<&Device::note_maker>, std::vector<std::byte>(15, std::byte{0})},
      {client_number<&Device::launch>, std::vector<std::byte>(64, std::byte{0xff})},
      {client_number<&Device::check_launch>, std::vector<std::byte>(64, std::byte{0xff})},
      {client_number<&Device::load_module>, std::vector<std::byte>(16, std::byte{0xff})},
      {client_number<&Device::read>, std::vector<std::byte>(24, std::byte{0xff})},
      {client_number<&Device::create_stream>, {std::byte{7}}},
  };
  for (const auto& [number, payload] : requests) {
    Server server;
    send_message(server.client().get(), number, payload, {});
    EXPECT_TRUE(server.client_is_closed()) << number;
    EXPECT_TRUE(server.answers());
  }
}

TEST(DeviceServer, AProgramOfAnotherBuildIsNotUnderstood) {
  Server server;
  const auto other = static_cast<std::uint16_t>(wire::protocol_number() + 1);
  const wire::Header header{.bytes = 0, .operation = 1, .protocol = other};
  ASSERT_EQ(send(server.client().get(), &header, sizeof header, 0), 8);
  EXPECT_TRUE(server.client_is_closed());
  EXPECT_TRUE(server.answers());
}

TEST(DeviceServer, HalfAMessageDoesNotKeepTheJudgeWaiting) {
  Server server;
  const wire::Header header{.bytes = 1000, .operation = 16, .protocol = wire::protocol_number()};
  ASSERT_EQ(send(server.client().get(), &header, sizeof header, 0), 8);
  EXPECT_TRUE(server.answers());
}

TEST(DeviceServer, AClientThatDoesNotReadDoesNotKeepTheJudgeWaiting) {
  Server server;
  LocalDevice honest;  // its first address is the server's too
  using Allocate = wire::RequestFor<&Device::allocate_for, wire::ClientRequests>;
  using Read = wire::RequestFor<&Device::read, wire::ClientRequests>;
  std::vector<std::byte> memory(wire::max_bulk_bytes);
  send_message(server.client().get(), Allocate::number, Allocate::pack(memory.size(), ""), {});
  const DeviceAddress address = honest.allocate(1);
  for (int i = 0; i < 3; ++i) {
    send_message(server.client().get(), Read::number, Read::pack(memory, address, 0), {});
  }
  EXPECT_TRUE(server.answers());
}

TEST(DeviceServer, RandomBytesNeverHurt) {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    Server server;
    std::vector<std::byte> bytes(1 + random() % 400);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    // Most rounds start with a header that is taken seriously.
    if (round % 4 != 0) {
      const wire::Header header{.bytes = static_cast<std::uint32_t>(random() % 300),
                                .operation = static_cast<std::uint16_t>(random() % 60),
                                .protocol = wire::protocol_number()};
      std::memcpy(bytes.data(), &header, std::min(sizeof header, bytes.size()));
    }
    send(server.client().get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    server.client().reset();
    EXPECT_TRUE(server.answers()) << round;
  }
}

TEST(DeviceServer, RandomArgumentsToRealRequestsNeverHurt) {
  std::mt19937_64 random(4);
  Server server;
  RemoteDevice device(server.take_client());
  const DeviceAddress address = device.allocate(4096);
  const auto any = [&]() -> std::uint64_t {
    switch (random() % 5) {
      case 0:
        return random();
      case 1:
        return address + random() % 5000;
      case 2:
        return ~std::uint64_t{0} - random() % 3;
      default:
        return random() % 5;
    }
  };
  const auto small = [&] { return static_cast<std::uint32_t>(any()); };
  int failed = 0;
  for (int round = 0; round < 3000; ++round) {
    failed += error_of([&] {
                switch (random() % 12) {
                  case 0:
                    device.fill(any(), small(), small(), any(), any());
                    break;
                  case 1:
                    device.copy(any(), any(), any(), any());
                    break;
                  case 2:
                    device.write(any(), bytes_of("some bytes"), any());
                    break;
                  case 3:
                    device.launch({.kernel = any(),
                                   .grid = {.x = small(), .y = small(), .z = small()},
                                   .block = {.x = small(), .y = small(), .z = small()},
                                   .dynamic_shared = any(),
                                   .stream = any(),
                                   .cooperative = false,
                                   .arguments = {}});
                    break;
                  case 4:
                    device.wait(any(), any());
                    break;
                  case 5:
                    device.elapsed(any(), any());
                    break;
                  case 6:
                    device.resident_blocks(any(), small(), any());
                    break;
                  case 7:
                    device.release_async(device.allocate_shared(
                        any(), static_cast<SharedMemory>(static_cast<std::uint8_t>(any()))));
                    break;
                  case 8:
                    device.set_condition(any(), small());
                    break;
                  case 9:
                    device.condition(any(), any());
                    break;
                  case 10:
                    device.release_async(any() % 2 == 0 ? any() : device.create_condition());
                    break;
                  default:
                    device.destroy_stream(any());
                }
              }) != 0;
  }
  EXPECT_GT(failed, 1000);
  EXPECT_TRUE(server.answers());
}

TEST(DeviceServer, ArraysTravel) {
  Server server;
  RemoteDevice device(server.take_client());
  ArrayShape shape{.format = {TexelKind::unsigned_integer, 32, 4}, .width = 5000, .height = 300};
  shape.depth = 2, shape.layered = true;
  const ArrayId array = device.create_array(shape);
  const RegionSize size{5000 * 16, 300, 2};
  std::vector<std::byte> data(size.width * size.height * size.depth);
  std::mt19937 random(4);
  for (std::size_t i = 0; i < data.size(); i += 37) data[i] = static_cast<std::byte>(random());
  device.write_region({.array = array}, size, data, 0);
  std::vector<std::byte> back(data.size());
  device.read_region(back, {.array = array}, size, 0);
  EXPECT_EQ(back, data);

  const DeviceAddress memory = device.allocate(64 * 3);
  device.fill_region({.address = memory, .pitch = 64, .rows = 3}, {64, 3, 1}, 0xcc, 0);
  device.copy_region({.address = memory + 8, .pitch = 64, .rows = 3},
                     {.array = array, .x = 3, .y = 7, .z = 1}, {20, 3, 1}, 0);
  std::vector<std::byte> rows(64 * 3);
  device.read(rows, memory, 0);
  EXPECT_EQ(rows[7], std::byte{0xcc});
  EXPECT_EQ(rows[64 + 8], data[(300 + 8) * 5000 * 16 + 3]);

  const ObjectId texture = device.create_texture({.array = array});
  device.destroy_texture(texture);
  EXPECT_EQ(error_of([&] { device.destroy_texture(texture); }), 1);
  EXPECT_EQ(error_of([&] { device.create_surface(array); }), 1);
  device.destroy_array(array);
  EXPECT_EQ(error_of([&] { device.destroy_array(array); }), 400);
}

TEST(DeviceServer, AbsurdArraysAndRegionsFailAndHarmNothing) {
  Server server;
  RemoteDevice device(server.take_client());
  const DeviceAddress address = device.allocate(4096);
  const ArrayId array = device.create_array(
      {.format = {TexelKind::floating, 32, 1}, .width = 16, .height = 16, .surface = true});
  std::mt19937_64 random(5);
  const auto any = [&]() -> std::uint64_t {
    switch (random() % 6) {
      case 0:
        return random();
      case 1:
        return address + random() % 5000;
      case 2:
        return ~std::uint64_t{0} - random() % 3;
      case 3:
        return std::uint64_t{1} << random() % 64;
      default:
        return random() % 20;
    }
  };
  const auto byte = [&] { return static_cast<std::uint8_t>(random() % 3 == 0 ? any() : 32); };
  const auto place = [&] {
    return RegionPlace{random() % 3 != 0 ? 0 : array, any(), any(), any(), any(), any(), any()};
  };
  const auto format = [&] {
    return TexelFormat{static_cast<TexelKind>(random() % 4), byte(),
                       static_cast<std::uint8_t>(random() % 6)};
  };
  int failed = 0;
  for (int round = 0; round < 3000; ++round) {
    failed += error_of([&] {
                switch (random() % 6) {
                  case 0:
                    device.fill_region(place(), {any(), any(), any()}, 1, 0);
                    break;
                  case 1:
                    device.copy_region(place(), place(), {any(), any(), any()}, 0);
                    break;
                  case 2:
                    device.write_region(place(), {5, 2, 1}, bytes_of("some bytes"), 0);
                    break;
                  case 3: {
                    const ArrayShape shape{format(),         any(), any(), any(), random() % 2 == 0,
                                           random() % 2 == 0};
                    device.destroy_array(device.create_array(shape));
                    break;
                  }
                  case 4: {
                    TextureDescription how;
                    how.array = random() % 2;
                    how.address = any(), how.width = any(), how.height = any();
                    how.pitch = any(), how.format = format();
                    how.modes[0] = static_cast<AddressMode>(random() % 6);
                    device.destroy_texture(device.create_texture(how));
                    break;
                  }
                  default:
                    device.destroy_surface(any());
                }
              }) != 0;
  }
  EXPECT_GT(failed, 1000);
  EXPECT_TRUE(server.answers());
}

TEST(DeviceServer, ARemoteDeviceWithoutItsServerFailsForGood) {
  auto server = std::make_unique<Server>();
  RemoteDevice device(server->take_client());
  server.reset();
  EXPECT_EQ(error_of([&] { device.allocate(1); }), 46);
  EXPECT_EQ(error_of([&] { device.synchronize({}); }), 46);
}

}  // namespace
}  // namespace gridstride::sim
