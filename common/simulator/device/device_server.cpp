// What the two sockets may ask of the device.
#include "common/simulator/device/device_server.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/device_error.h"
#include "common/simulator/device/blocking.h"
#include "common/simulator/device/device.h"
#include "common/simulator/device/protocol.h"
#include "common/simulator/device/request_server.h"
#include "common/simulator/device/wire.h"
#include "common/unique_fd.h"

namespace gridstride::sim {
namespace {

/// From here to its end the client is served.
class Serving {
 public:
  explicit Serving(Device& device) : device_(device) { device_.serving(true); }
  ~Serving() { device_.serving(false); }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

 private:
  Device& device_;
};

std::vector<std::byte> judges_reply(Device& device, std::uint16_t number, wire::Reader& reader) {
  std::vector<std::byte> reply = wire::JudgeRequests::answer(number, device, reader);
  if (reply.size() > wire::max_activity_bytes) {
    throw DeviceError(error_unknown, false, "the program did more than a report can hold");
  }
  return reply;
}

}  // namespace

DeviceServer::DeviceServer(Device& device, UniqueFd client, UniqueFd control, Waiting waiting)
    : server_(std::move(client), std::move(control),
              {.client =
                   [&device](std::uint16_t number, wire::Reader& reader) {
                     const Serving serving(device);
                     return wire::ClientRequests::answer(number, device, reader);
                   },
               .judge = [&device](
                            std::uint16_t number,
                            wire::Reader& reader) { return judges_reply(device, number, reader); },
               .serves_clients = [&device] { return device.serves_clients(); }},
              waiting) {}

}  // namespace gridstride::sim
