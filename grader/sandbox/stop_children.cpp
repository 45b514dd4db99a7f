// See the header.
#include "grader/sandbox/stop_children.h"

#include <chrono>
#include <stop_token>
#include <thread>

#include "grader/sandbox/process_tree.h"

namespace gridstride {

StopChildrenOnSignal::StopChildrenOnSignal()
    : watch_([this](const std::stop_token& over) {
        constexpr std::chrono::milliseconds between_looks{20};
        while (!over.stop_requested()) {
          if (caught() != 0) kill_descendants();
          std::this_thread::sleep_for(between_looks);
        }
      }) {}

}  // namespace gridstride
