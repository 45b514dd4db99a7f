// The same loop as the near end's, seen from the other side.
#include "common/simulator/link/far_end.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/shared_bytes.h"
#include "common/simulator/device/connection.h"
#include "common/simulator/device/control.h"
#include "common/simulator/device/protocol.h"
#include "common/simulator/link/frames.h"
#include "common/simulator/link/mirrored_memory.h"
#include "common/simulator/link/programs.h"

namespace gridstride::sim::link {
namespace {

using BeginCall = wire::RequestFor<&Device::begin_call, wire::JudgeRequests>;
using ProgramThought = wire::RequestFor<&Device::program_thought, wire::JudgeRequests>;
using EndCall = wire::RequestFor<&Device::end_call, wire::JudgeRequests>;

class FarEnd {
 public:
  FarEnd(int in, int out, std::filesystem::path programs)
      : programs_(std::move(programs)), stream_(UniqueFd(in), UniqueFd(out)) {}
  ~FarEnd() {
    if (pid_ > 0) reap(/*end=*/true);
  }
  FarEnd(const FarEnd&) = delete;
  FarEnd& operator=(const FarEnd&) = delete;

  int run() {
    while (!stream_.ended() && !said_end_) {
      send_memory();
      wait();
      for (std::optional<Frame> frame; (frame = stream_.next());) take(*frame);
    }
    while (!stream_.ended() && stream_.queued() > 0) {  // the last word
      pollfd polled{.fd = stream_.out(), .events = POLLOUT, .revents = 0};
      ::poll(&polled, 1, -1);
      stream_.flush();
    }
    return 0;
  }

 private:
  void start(const Start& start) {
    DeviceProcessOptions options;
    if (start.program != device_program && start.program != gpu_device_program)
      throw wire::WireError("a device program that does not exist");
    options.program = programs_ / start.program;
    if (start.program == gpu_device_program) options.options = {"--program-elsewhere"};
    options.profile = start.profile;
    options.schedule_seed = start.schedule_seed;
    options.instruction_budget = start.instruction_budget;
    StartedDevice started = start_device(options, shared_);
    pid_ = started.pid;
    client_.emplace(std::move(started.client));
    control_.emplace(std::move(started.control), wire::max_activity_bytes);
    stream_.send(Kind::started, {});
  }
  int reap(bool end) {
    if (end) ::kill(pid_, SIGKILL);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }
  /// Results go before the answer that tells of them.
  void send_memory() {
    memory_.send(stream_);
    if (!answer_ || !memory_.queue_is_empty()) return;
    stream_.send(Kind::control, wire::packed(answer_->operation), answer_->payload);
    answer_.reset();
  }
  void wait() {
    const bool runs = control_.has_value();
    std::array<pollfd, 4> polled{
        {{.fd = stream_.in(), .events = POLLIN, .revents = 0},
         {.fd = stream_.queued() > 0 ? stream_.out() : -1, .events = POLLOUT, .revents = 0},
         {.fd = runs ? control_->fd() : -1,
          .events = runs ? control_->wants() : short{0},
          .revents = 0},
         {.fd = runs && client_->open() ? client_->fd() : -1,
          .events = runs ? client_->wants() : short{0},
          .revents = 0}}};
    if (!memory_.queue_is_empty() && stream_.queued() == 0) return;
    ::poll(polled.data(), polled.size(), -1);
    if (polled[0].revents != 0) stream_.receive();
    if (polled[1].revents != 0) stream_.flush();
    // The client first: what it was told came before what the judge is.
    if (polled[3].revents != 0) hear_client();
    if (polled[2].revents != 0) hear_control();
  }
  void hear_client() {
    if (client_->wants() == POLLOUT) {
      client_->flush();
    } else {
      client_->receive();
      if (const std::optional<Message> answer = client_->next())
        stream_.send(Kind::client, wire::packed(answer->operation), answer->payload);
    }
    if (!client_->open()) stream_.send(Kind::client_closed, {});
  }
  void hear_control() {
    if (control_->wants() == POLLOUT) {
      control_->flush();
    } else {
      control_->receive();
      std::optional<Message> answer = control_->next();
      if (answer) hear(std::move(*answer));
    }
    if (control_->open()) return;
    stream_.send(Kind::ended, wire::packed(std::int32_t{reap(/*end=*/false)}));
    said_end_ = true;
  }
  /// An answer on the control socket: to the judge, or to what this end itself has asked.
  void hear(Message answer) {
    const std::uint16_t asked = std::exchange(asked_, std::nullopt).value_or(0);
    if (asked == ProgramThought::number) {
      thought_asked_ = false;
      ask_client();
    } else {
      if (asked == EndCall::number &&
          answer.operation == static_cast<std::uint16_t>(wire::Reply::ok))
        memory_.queue_results(regions_);
      answer_ = std::move(answer);
    }
    ask_control();
  }
  /// The device answers one request on the control socket after the other.
  void ask_control() {
    if (asked_ || control_requests_.empty() || !control_->open()) return;
    Message request = std::move(control_requests_.front());
    control_requests_.pop_front();
    asked_ = request.operation;
    control_->send(request.operation, std::move(request.payload));
  }
  void ask_client() {
    if (client_request_ && client_->open())
      client_->send(client_request_->operation, std::move(client_request_->payload));
    client_request_.reset();
  }
  void take(Frame& frame) {
    if (frame.kind == Kind::start) {
      start(unpack_start(frame.payload));
      return;
    }
    if (!control_) throw wire::WireError("nothing was started yet");
    wire::Reader reader(frame.payload);
    const auto message_in = [&reader](Frame& taken) {
      const auto operation = reader.get<std::uint16_t>();
      taken.payload.erase(taken.payload.begin(), taken.payload.begin() + sizeof operation);
      return Message{operation, std::move(taken.payload)};
    };
    switch (frame.kind) {
      case Kind::memory:
        memory_.take(frame.payload);
        break;
      case Kind::control: {
        Message request = message_in(frame);
        if (request.operation == BeginCall::number) {
          wire::Reader rest(request.payload);
          regions_ = std::get<0>(BeginCall::unpack(rest));
          memory_.make_room(regions_);
        }
        control_requests_.push_back(std::move(request));
        ask_control();
        break;
      }
      case Kind::thought:
        control_requests_.push_back(
            {ProgramThought::number, ProgramThought::pack(reader.get<double>())});
        thought_asked_ = true;
        ask_control();
        break;
      case Kind::client:
        client_request_ = message_in(frame);
        if (!thought_asked_) ask_client();
        break;
      case Kind::client_closed:
        client_->close();
        break;
      default:
        throw wire::WireError("a frame that only the far end sends");
    }
  }

  std::filesystem::path programs_;
  FrameStream stream_;
  SharedBytes shared_ = SharedBytes::create();
  MirroredMemory memory_{shared_};
  pid_t pid_ = -1;
  std::optional<Connection> client_, control_;
  std::deque<Message> control_requests_;   ///< that wait until those before are answered
  std::optional<std::uint16_t> asked_;     ///< a request on the control socket
  bool thought_asked_ = false;             ///< the device is still to hear what the client thought
  std::optional<Message> client_request_;  ///< that came behind it
  std::vector<CallRegion> regions_;
  std::optional<Message> answer_;  ///< until its memory is sent
  bool said_end_ = false;
};

}  // namespace

int run_far_end(int in, int out, const std::filesystem::path& programs) {
  ::signal(SIGPIPE, SIG_IGN);
  return FarEnd(in, out, programs).run();
}

}  // namespace gridstride::sim::link
