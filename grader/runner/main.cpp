// gridstride-runner: the process that student code runs in.
//
// The judge starts it, in a sandbox, with one end of a socket as descriptor 3 (protocol.h). The CUDA
// runtime that it loads forwards calls to a device process, over descriptor 4.
#include <sys/socket.h>

#include <cstdio>
#include <exception>

#include "common/unique_fd.h"
#include "grader/runner/server.h"

int main() {
  constexpr int judge_socket = 3;
  int type = 0;
  socklen_t size = sizeof type;
  if (::getsockopt(judge_socket, SOL_SOCKET, SO_TYPE, &type, &size) != 0) {
    std::fprintf(stderr, "gridstride-runner is started by the graders, not by hand.\n");
    return 2;
  }
  try {
    using namespace gridstride;
    runner::Server server{protocol::Channel(UniqueFd(judge_socket))};
    server.serve();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gridstride-runner: %s\n", error.what());
    return 1;
  }
}
