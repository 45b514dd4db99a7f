// See the header.
#include "common/simulator/device/process_end.h"

#include <poll.h>
#include <unistd.h>

namespace gridstride::sim {

void end_with_the_judge(int control) {
  pollfd polled{.fd = control, .events = POLLRDHUP, .revents = 0};
  while (poll(&polled, 1, -1) != 1) {
  }
  _exit(0);
}

}  // namespace gridstride::sim
