// Serves a simulated GPU to a client that nobody trusts, and to the judge.
//
// The client's socket carries what student code sends. Every request is checked in length and
// range; a malformed one closes the client's connection and nothing else, an impossible one (memory
// that does not exist, a kernel that is not there) gets an error reply. The control socket stays
// open and is answered between the client's requests; when the judge closes it, the server returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/simulator/device/blocking.h"
#include "common/simulator/device/connection.h"
#include "common/simulator/device/device.h"
#include "common/simulator/device/wire.h"
#include "common/unique_fd.h"

namespace gridstride::sim {

class DeviceServer {
 public:
  /// `device` must outlive the server.
  DeviceServer(Device& device, UniqueFd client, UniqueFd control, Waiting waiting = Waiting::asleep)
      : device_(device),
        client_(std::move(client)),
        control_(std::move(control)),
        waiting_(waiting) {}

  /// Returns when the control connection has ended.
  void run();

 private:
  /// Takes a request, if one is complete, and sends its reply: of `handle`(number, reader), which
  /// throws WireError when it is malformed, DeviceError when it fails.
  template <class Handler>
  void answer(Connection& connection, Handler&& handle);
  std::vector<std::byte> judges_request(std::uint16_t number, wire::Reader& reader);

  Device& device_;
  Connection client_, control_;
  Waiting waiting_;
};

}  // namespace gridstride::sim
