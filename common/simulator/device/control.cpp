// Starts a device process and speaks for the judge.
#include "common/simulator/device/control.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/simulator/device/blocking.h"
#include "common/simulator/device/packing.h"
#include "common/simulator/device/protocol.h"

namespace gridstride::sim {

std::vector<std::byte> DeviceProcess::ask(std::uint16_t number,
                                          const std::vector<std::byte>& payload) {
  if (pid_ < 0) {
    check_link();
    throw DeviceProcessError("the device process was ended");
  }
  const Deadline deadline = std::chrono::steady_clock::now() + timeout_;
  try {
    send_message(control_.get(), number, payload, deadline);
    Message reply = receive_message(control_.get(), wire::max_activity_bytes, deadline);
    if (reply.operation == static_cast<std::uint16_t>(wire::Reply::ok)) {
      return std::move(reply.payload);
    }
    wire::Reader reader(reply.payload);
    wire::In in{reader};
    wire::Failure failure;
    travel(in, failure);
    throw DeviceProcessRefused("the device process refused: " + failure.message, failure.code);
  } catch (const ConnectionTimeout&) {
    // A late answer would be taken for that of the next request.
    kill();
    throw DeviceProcessTimeout("the device process did not answer within " +
                               std::to_string(timeout_.count()) + " ms and was ended");
  } catch (const ConnectionLost&) {
    throw_ended();
  }
}

template <auto function, class... Arguments>
auto DeviceProcess::call(const Arguments&... arguments) {
  using Request = wire::RequestFor<function, wire::JudgeRequests>;
  try {
    const auto reply = ask(Request::number, Request::pack(arguments...));
    return Request::result(reply, arguments...);
  } catch (const wire::WireError& error) {
    throw DeviceProcessError(std::string("the device process broke the protocol: ") + error.what());
  }
}

DeviceProcess::DeviceProcess(const DeviceProcessOptions& options)
    : host_(options.host), timeout_(options.timeout) {
  StartedDevice started = start_device(options, shared_);
  client_ = std::move(started.client);
  control_ = std::move(started.control);
  pid_ = started.pid;
  try {
    properties_ = call<&Device::properties>();
  } catch (...) {
    kill();
    throw;
  }
}

DeviceProcess::~DeviceProcess() { kill(); }

DeviceProcess::DeviceProcess(DeviceProcess&& other) noexcept
    : host_(std::move(other.host_)),
      link_lost_(other.link_lost_),
      pid_(std::exchange(other.pid_, -1)),
      client_(std::move(other.client_)),
      control_(std::move(other.control_)),
      shared_(std::move(other.shared_)),
      timeout_(other.timeout_),
      properties_(std::move(other.properties_)) {}

DeviceProcess& DeviceProcess::operator=(DeviceProcess&& other) noexcept {
  std::swap(host_, other.host_);
  std::swap(link_lost_, other.link_lost_);
  std::swap(pid_, other.pid_);
  std::swap(client_, other.client_);
  std::swap(control_, other.control_);
  std::swap(shared_, other.shared_);
  std::swap(timeout_, other.timeout_);
  std::swap(properties_, other.properties_);
  return *this;
}

void DeviceProcess::throw_ended() {
  int status = 0;
  if (pid_ < 0 || waitpid(pid_, &status, 0) != pid_)
    throw DeviceProcessError("the device process was ended");
  pid_ = -1;
  note_link(status);
  check_link();
  if (WIFSIGNALED(status))
    throw DeviceProcessError(std::string("the device process was ended by a signal: ") +
                             strsignal(WTERMSIG(status)));
  throw DeviceProcessError("the device process ended with exit status " +
                           std::to_string(WEXITSTATUS(status)));
}

void DeviceProcess::note_link(int status) {
  link_lost_ = !host_.empty() && WIFEXITED(status) && WEXITSTATUS(status) == link_lost_status;
}

void DeviceProcess::check_link() {
  // What stands for the device closes this socket before all others.
  pollfd polled{.fd = control_.get(), .events = POLLRDHUP, .revents = 0};
  if (!host_.empty() && pid_ >= 0 && ::poll(&polled, 1, 0) == 1) {
    int status = 0;
    if (waitpid(pid_, &status, 0) == pid_) note_link(status);
    pid_ = -1;
  }
  alive();
  if (link_lost_)
    throw DeviceLinkLost("The connection to " + host_ + " was lost. Repair: `ssh " + host_ +
                         " true` says what is wrong; then run the command again.");
}

std::span<std::byte> DeviceProcess::share(std::uint64_t bytes) {
  try {
    return shared_.grow(bytes);
  } catch (const std::system_error& error) {
    throw DeviceProcessError(error.what());
  }
}

std::vector<DeviceAddress> DeviceProcess::begin_call(const std::vector<CallRegion>& regions) {
  auto addresses = call<&Device::begin_call>(regions);
  if (addresses.size() == regions.size()) return addresses;
  throw DeviceProcessError("the device process broke the protocol: other regions than asked for");
}

CallReport DeviceProcess::end_call() { return call<&Device::end_call>(); }

bool DeviceProcess::alive() {
  if (pid_ < 0) return false;
  int status = 0;
  const pid_t ended = waitpid(pid_, &status, WNOHANG);
  if (ended == 0) return true;
  if (ended == pid_) note_link(status);
  pid_ = -1;
  return false;
}

void DeviceProcess::kill() noexcept {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

}  // namespace gridstride::sim
