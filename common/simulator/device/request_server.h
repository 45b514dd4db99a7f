// The loop of a device process: takes requests from two sockets, lets them be answered, sends replies.
//
// The client's socket carries what student code sends. Every request is checked in length and
// range; a malformed one closes the client's connection and nothing else, an impossible one (memory
// that does not exist, a kernel that is not there) gets an error reply. The control socket, the
// judge's, stays open and is answered between the client's requests; when the judge closes it, the
// loop ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "common/simulator/device/blocking.h"
#include "common/simulator/device/connection.h"
#include "common/simulator/device/wire.h"
#include "common/unique_fd.h"

namespace gridstride::sim {

class RequestServer {
 public:
  /// Answers request `number` with its reply. Throws WireError when it is malformed, DeviceError when
  /// it fails.
  using Handler =
      std::function<std::vector<std::byte>(std::uint16_t number, wire::Reader& payload)>;
  struct Handlers {
    Handler client, judge;
    /// False while nobody but the judge is served; empty: never.
    std::function<bool()> serves_clients;
  };

  RequestServer(UniqueFd client, UniqueFd control, Handlers handlers, Waiting waiting);

  /// Returns when the control connection has ended.
  void run();

 private:
  /// Takes a request, if one is complete, and sends its reply.
  static void answer(Connection& connection, const Handler& handle);

  Connection client_, control_;
  Handlers handlers_;
  Waiting waiting_;
};

}  // namespace gridstride::sim
