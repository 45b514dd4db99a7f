// One loop that waits for all; nobody in it is waited for alone.
#include "common/simulator/link/near_end.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "common/child_stream.h"
#include "common/shared_bytes.h"
#include "common/simulator/device/blocking.h"
#include "common/simulator/device/connection.h"
#include "common/simulator/device/control.h"
#include "common/simulator/device/protocol.h"
#include "common/simulator/link/mirrored_memory.h"
#include "common/simulator/link/programs.h"
#include "common/simulator/link/transport.h"
#include "common/unique_fd.h"

namespace gridstride::sim::link {
namespace {

using BeginCall = wire::RequestFor<&Device::begin_call, wire::JudgeRequests>;

using namespace std::chrono_literals;

/// A far end that ends before the device has started is tried again after so long.
constexpr std::array<std::chrono::milliseconds, 2> pauses = {500ms, 1500ms};

/// The far end as a child process.
class FarProcess {
 public:
  explicit FarProcess(const std::vector<std::string>& words) : child_(words) {
    const int copy = ::fcntl(child_.socket().get(), F_DUPFD_CLOEXEC, 0);
    if (copy < 0) throw std::runtime_error("no descriptor for the link");
    stream_.emplace(std::move(child_.socket()), UniqueFd(copy));
  }

  FrameStream& stream() { return *stream_; }

 private:
  ChildStream child_;
  std::optional<FrameStream> stream_;  ///< goes first, and its socket with it
};

class NearEnd {
 public:
  NearEnd(const NearDescriptors& fds, bool tells_thoughts)
      : tells_thoughts_(tells_thoughts),
        client_(UniqueFd(fds.client)),
        control_(UniqueFd(fds.control)),
        shared_(UniqueFd(fds.shared)),
        memory_(shared_) {
    if (tells_thoughts_) transport_ = transport_seconds([] {}, Waiting::busily);
  }

  /// False when the far end was lost before the device process had started.
  bool start(FrameStream& stream, const Start& start) {
    stream.send(Kind::start, pack(start));
    while (!stream.ended() && control_is_there()) {
      pollfd polled{.fd = stream.in(), .events = POLLIN, .revents = 0};
      if (stream.queued() > 0) polled.events |= POLLOUT;
      ::poll(&polled, 1, 100);
      stream.flush();
      if (polled.revents != 0) stream.receive();
      const auto frame = stream.next();
      if (!frame) continue;
      if (frame->kind == Kind::started) return true;
      if (frame->kind == Kind::ended) ended_with_ = status_in(*frame);
      return true;
    }
    return !control_is_there();
  }

  int run(FrameStream& stream) {
    while (!ended_with_) {
      send_memory(stream);
      wait(stream);
      if (!control_.open()) return 0;
      for (std::optional<Frame> frame; !ended_with_ && (frame = stream.next());) take(*frame);
      if (!ended_with_ && stream.ended()) {
        control_.close();  // first: whoever sees the runner's closed looks at this one
        return link_lost_status;
      }
    }
    return *ended_with_;
  }

 private:
  bool control_is_there() const {
    pollfd polled{.fd = control_.fd(), .events = POLLRDHUP, .revents = 0};
    return ::poll(&polled, 1, 0) == 0;
  }
  static int status_in(const Frame& frame) {
    wire::Reader reader(frame.payload);
    return reader.get<std::int32_t>();
  }
  /// Memory goes before the request that it is for.
  void send_memory(FrameStream& stream) {
    memory_.send(stream);
    if (!waiting_control_ || !memory_.queue_is_empty()) return;
    stream.send(Kind::control, wire::packed(waiting_control_->operation),
                waiting_control_->payload);
    waiting_control_.reset();
  }
  void wait(FrameStream& stream) {
    // A socket whose last request has no answer yet is not read: its owner has nothing more to say.
    const short control = asked_control_ ? static_cast<short>(POLLRDHUP) : control_.wants();
    const short client = asked_client_ && client_.wants() == POLLIN ? static_cast<short>(POLLRDHUP)
                                                                    : client_.wants();
    std::array<pollfd, 4> polled{
        {{.fd = stream.in(), .events = POLLIN, .revents = 0},
         {.fd = stream.queued() > 0 ? stream.out() : -1, .events = POLLOUT, .revents = 0},
         {.fd = control_.fd(), .events = control, .revents = 0},
         {.fd = client_.open() ? client_.fd() : -1, .events = client, .revents = 0}}};
    if (!memory_.queue_is_empty() && stream.queued() == 0) return;
    ::poll(polled.data(), polled.size(), may_ask_soon() ? 0 : -1);
    if (polled[0].revents != 0) stream.receive();
    if (polled[1].revents != 0) stream.flush();
    if (polled[2].revents != 0) ask_control(polled[2].revents);
    if (polled[3].revents != 0) ask_client(stream, polled[3].revents);
  }
  /// What the runner thinks is measured from here to its next request, so nobody sleeps meanwhile.
  bool may_ask_soon() const {
    constexpr std::chrono::milliseconds soon{5};
    return tells_thoughts_ && !asked_client_ && answered_ && Clock::now() - *answered_ < soon;
  }
  void ask_control(short events) {
    if (asked_control_ && (events & (POLLRDHUP | POLLHUP | POLLERR)) != 0) return control_.close();
    if (control_.wants() == POLLOUT) return control_.flush();
    control_.receive();
    std::optional<Message> message = control_.next();
    if (!message) return;
    if (message->operation == BeginCall::number) {
      wire::Reader reader(message->payload);
      memory_.queue_contents(std::get<0>(BeginCall::unpack(reader)));
    }
    asked_control_ = true;
    waiting_control_ = std::move(message);
  }
  void ask_client(FrameStream& stream, short events) {
    const bool gone = (events & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
    try {
      if (asked_client_ && gone) {
        client_.close();
      } else if (client_.wants() == POLLOUT) {
        client_.flush();
        if (client_.wants() != POLLOUT) answered_ = Clock::now();
      } else {
        client_.receive();
        if (const std::optional<Message> message = client_.next()) {
          asked_client_ = true;
          tell_thought(stream);
          stream.send(Kind::client, wire::packed(message->operation), message->payload);
        }
      }
    } catch (const wire::WireError&) {
      client_.close();  // as the device process does
    }
    if (!client_.open()) stream.send(Kind::client_closed, {});
  }
  /// From when the runner had its answer to now it thought: only here that can be seen.
  void tell_thought(FrameStream& stream) {
    if (!tells_thoughts_) return;
    Seconds thought{0};
    if (answered_) thought = Clock::now() - *answered_ - transport_;
    stream.send(Kind::thought, wire::packed(thought.count()));
  }
  void take(Frame& frame) {
    const auto message = [&frame] {
      wire::Reader reader(frame.payload);
      const auto operation = reader.get<std::uint16_t>();
      frame.payload.erase(frame.payload.begin(), frame.payload.begin() + sizeof operation);
      return Message{operation, std::move(frame.payload)};
    };
    switch (frame.kind) {
      case Kind::memory:
        memory_.take(frame.payload);
        break;
      case Kind::control: {
        Message answer = message();
        asked_control_ = false;
        control_.send(answer.operation, std::move(answer.payload));
        break;
      }
      case Kind::client: {
        Message answer = message();
        asked_client_ = false;
        if (client_.open()) client_.send(answer.operation, std::move(answer.payload));
        answered_ = Clock::now();
        break;
      }
      case Kind::client_closed:
        client_.close();
        break;
      case Kind::ended:
        ended_with_ = status_in(frame);
        break;
      default:
        throw wire::WireError("a frame that only the near end sends");
    }
  }

  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  const bool tells_thoughts_;  ///< to a GPU, whose time goes on meanwhile
  Seconds transport_{0};
  std::optional<Clock::time_point> answered_;  ///< the runner
  Connection client_, control_;
  SharedBytes shared_;
  MirroredMemory memory_;
  bool asked_control_ = false, asked_client_ = false;  ///< no answer has come yet
  std::optional<Message> waiting_control_;             ///< until its memory is sent
  std::optional<int> ended_with_;                      ///< the device process, as waitpid has it
};

/// Ends as the device process did.
int as_exit_status(int status) {
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  ::signal(WTERMSIG(status), SIG_DFL);
  ::raise(WTERMSIG(status));
  return 1;
}

}  // namespace

int run_near_end(const NearDescriptors& fds, const Start& start,
                 const std::vector<std::string>& far) {
  ::signal(SIGPIPE, SIG_IGN);
  // They are the device's, and none of ssh's.
  for (const int fd : {fds.client, fds.control, fds.shared}) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  NearEnd near(fds, start.program == gpu_device_program);
  for (std::size_t attempt = 0;; ++attempt) {
    FarProcess process(far);
    if (near.start(process.stream(), start)) {
      const int status = near.run(process.stream());
      return status == link_lost_status ? status : as_exit_status(status);
    }
    if (attempt == pauses.size()) return link_lost_status;
    std::this_thread::sleep_for(pauses[attempt]);
  }
}

}  // namespace gridstride::sim::link
