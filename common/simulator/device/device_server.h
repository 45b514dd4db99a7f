// Serves a GPU to a client that nobody trusts, and to the judge: see request_server.h.
#pragma once

#include "common/simulator/device/blocking.h"
#include "common/simulator/device/device.h"
#include "common/simulator/device/request_server.h"
#include "common/unique_fd.h"

namespace gridstride::sim {

class DeviceServer {
 public:
  /// `device` must outlive the server.
  DeviceServer(Device& device, UniqueFd client, UniqueFd control,
               Waiting waiting = Waiting::asleep);

  /// Returns when the control connection has ended.
  void run() { server_.run(); }

 private:
  RequestServer server_;
};

}  // namespace gridstride::sim
