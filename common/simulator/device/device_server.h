// Serves a simulated GPU to a client that nobody trusts, and to the judge.
//
// The client's socket carries what student code sends. Every request is checked in length and
// range; a malformed one closes the client's connection and nothing else, an impossible one (memory
// that does not exist, a kernel that is not there) gets an error reply. The control socket stays
// open and is answered between the client's requests; when the judge closes it, the server returns.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "common/simulator/device/connection.h"
#include "common/simulator/device/device.h"
#include "common/simulator/device/protocol.h"
#include "common/simulator/device/wire.h"
#include "common/unique_fd.h"

namespace gridstride::sim {

class DeviceServer {
 public:
  /// `device` must outlive the server.
  DeviceServer(Device& device, UniqueFd client, UniqueFd control)
      : device_(device), client_(std::move(client)), control_(std::move(control)) {}

  /// Returns when the control connection has ended.
  void run();

 private:
  using Bytes = std::vector<std::byte>;

  void serve_client();
  void serve_control();
  /// The result of one request. Throws WireError when it is malformed, DeviceError when it fails.
  Bytes client_request(wire::Operation operation, wire::Reader& reader);
  Bytes array_request(wire::Operation operation, wire::Reader& reader);
  Bytes box_request(wire::Operation operation, wire::Reader& reader);
  Bytes control_request(wire::Operation operation, wire::Reader& reader);
  template <class Handler>
  void answer(Connection& connection, Handler&& handle);

  Device& device_;
  Connection client_, control_;
};

}  // namespace gridstride::sim
