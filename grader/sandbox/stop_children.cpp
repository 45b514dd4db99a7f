// See the header.
#include "grader/sandbox/stop_children.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <stop_token>
#include <thread>

#include "grader/sandbox/process_tree.h"

namespace gridstride {
namespace {

/// Each supervisor ends all that is below it, and then itself.
void stop_children() {
  const pid_t self = ::getpid();
  for (const ProcessInfo& process : list_processes()) {
    if (process.parent == self) ::kill(process.id, SIGTERM);
  }
}

}  // namespace

StopChildrenOnSignal::StopChildrenOnSignal()
    : watch_([this](const std::stop_token& over) {
        constexpr std::chrono::milliseconds between_looks{20};
        while (!over.stop_requested()) {
          if (caught() != 0) stop_children();
          std::this_thread::sleep_for(between_looks);
        }
      }) {}

}  // namespace gridstride
