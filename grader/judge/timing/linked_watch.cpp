// A line to `gridstride-gpu-device --watch` for each look, and a line back.
#include "grader/judge/timing/linked_watch.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/child_stream.h"

namespace gridstride {
namespace {

/// A look takes a way there and back, and NVML some milliseconds.
constexpr std::chrono::seconds longest_look{5};

class LinkedWatch final : public sim::GpuWatch {
 public:
  explicit LinkedWatch(const std::vector<std::string>& words) : child_(words) {
    const std::string about = line();
    ready_ = !about.empty();
    ecc_ = about.starts_with("ecc");
    mig_ = about.ends_with("mig");
  }
  bool ready() const { return ready_; }
  sim::GpuSample sample() override {
    constexpr char ask = '\n';
    if (!ready_ || ::send(fd(), &ask, 1, MSG_NOSIGNAL) != 1) return {};
    return sim::sample_in(line());
  }
  bool ecc() const override { return ecc_; }
  bool mig() const override { return mig_; }

 private:
  int fd() { return child_.socket().get(); }
  /// The next line; empty, and nothing more is asked, where none comes in time.
  std::string line() {
    const auto end = std::chrono::steady_clock::now() + longest_look;
    std::string text;
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          end - std::chrono::steady_clock::now());
      pollfd polled{.fd = fd(), .events = POLLIN, .revents = 0};
      char letter = 0;
      if (left.count() <= 0 || ::poll(&polled, 1, static_cast<int>(left.count())) <= 0 ||
          ::read(fd(), &letter, 1) != 1) {
        ready_ = false;
        return {};
      }
      if (letter == '\n') return text;
      text += letter;
    }
  }

  ChildStream child_;
  bool ready_ = true, ecc_ = false, mig_ = false;
};

}  // namespace

std::unique_ptr<sim::GpuWatch> watch_of_host(const sim::link::LinkHost& host,
                                             const std::string& pci_bus_id) {
  try {
    auto watch =
        std::make_unique<LinkedWatch>(host.running("gridstride-gpu-device --watch " + pci_bus_id));
    if (watch->ready()) return watch;
  } catch (const std::runtime_error&) {
    // Nothing to ask: as where nothing tells.
  }
  return nullptr;
}

}  // namespace gridstride
