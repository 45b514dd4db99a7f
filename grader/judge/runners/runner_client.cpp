// Requests to a runner, each with a deadline, and its ends in words.
#include "grader/judge/runners/runner_client.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/simulator/base/error_texts.h"
#include "common/text.h"

namespace gridstride {
namespace {

namespace fs = std::filesystem;
using protocol::Operation;
using protocol::Reader;
using protocol::Status;
using protocol::Writer;
using Kind = RunnerError::Kind;

/// For what the runner does by itself.
constexpr RunnerClient::Seconds own_work{30};
/// For the library's constructors.
constexpr RunnerClient::Seconds load_limit{20};
/// From the first byte of an answer to its last: a few hundred bytes.
constexpr std::chrono::seconds whole_answer{10};
constexpr std::size_t status_bytes = 64u << 10;

/// Kernels do not end a process by a signal: it is what the stage does on the host.
std::string advice_on(int signal) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
      return ". Host code used an address that is not its own: a pointer to device memory (kernels "
             "and cudaMemcpy alone may look there), a place past the end of an array, or a stack "
             "that a function which calls itself without end, or a large local array, has used up";
    case SIGFPE:
      return ". Host code divided a whole number by zero: is there a case in which a count or a "
             "size is 0?";
    default:
      return "";
  }
}

ChildOptions child_options(const RunnerOptions& options, int socket) {
  const Installation& installation = *options.installation;
  ChildOptions child;
  child.command = {need(installation.runner, "gridstride-runner").string()};
  child.policy = installation.sandbox;
  child.inherit = {socket, options.device_socket};
  child.hidden = {installation.tree};
  child.readable = {installation.runner, installation.simulated_cuda};
  child.readable.insert(child.readable.end(), options.libraries.begin(), options.libraries.end());
  child.limits.wall_seconds = 0;  // each request has its own limit
  child.limits.processes = 128;
  child.limits.open_files = 256;
  child.system_calls = SystemCalls::few;
  child.limits.memory_bytes = installation.runner_memory;
  need(installation.simulated_cuda / "libcudart.so.13", "cudart_sim");
  child.environment["LD_LIBRARY_PATH"] = installation.simulated_cuda.string();
  child.environment["GRIDSTRIDE_SIM_SOCKET"] = "4";
  return child;
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \t\n");
  if (end == std::string::npos) return "";
  const std::size_t before = text.rfind('\n', end);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return text.substr(begin, end - begin + 1);
}

std::string used_up(const StageClock& clock, const std::string& when) {
  return "the stage's calls took more than " + plain_number(clock.budget().count()) +
         " s together, all that lab.toml gives a stage (stage_seconds); it ended " + when;
}

/// Reads a result; what is none was not sent by the runner.
template <class Get>
auto decode(const std::vector<std::byte>& bytes, Get get) {
  try {
    Reader reader(bytes);
    auto value = get(reader);
    reader.finish();
    return value;
  } catch (const protocol::WireError& error) {
    throw RunnerError(Kind::forged, std::string("the stage sent an answer in the runner's name (") +
                                        error.what() + ")");
  }
}

}  // namespace

RunnerClient::RunnerClient(const RunnerOptions& options)
    : clock_(options.clock), numbers_(RandomKey::fresh()) {
  auto [ours, theirs] = protocol::connected_pair();
  const ChildOptions child = child_options(options, theirs.get());
  limits_ = child.limits;
  channel_.emplace(std::move(ours));
  process_ = std::make_unique<ChildProcess>(child);
}

RunnerClient::~RunnerClient() = default;

std::string RunnerClient::stop() {
  channel_.reset();
  process_->kill();
  return clean_text(process_->wait().errors);
}

void RunnerClient::throw_ended(const std::string& during) {
  channel_.reset();
  // It closed its socket, so it ends by itself now, unless student code did that and goes on.
  for (int tries = 0; tries < 50 && process_->running(); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  process_->kill();
  const ChildOutcome& outcome = process_->wait();
  std::string words = "the process " + outcome.describe(limits_) + " " + during;
  // abort() and the loader say why; whatever else stands there can do no harm.
  const std::string said = clean_text(outcome.errors);
  const std::string last = last_line(said);
  if (!last.empty()) words += "; the last line of the program's own output: " + in_quotes(last);
  if (outcome.end == ChildOutcome::End::signalled) words += advice_on(outcome.signal);
  switch (outcome.end) {
    case ChildOutcome::End::memory:
      throw RunnerError(Kind::memory, words);
    case ChildOutcome::End::processes:
      throw RunnerError(Kind::processes, words);
    default:
      throw RunnerError(Kind::ended, words);
  }
}

std::vector<std::byte> RunnerClient::ask(Operation operation, Writer& arguments, Seconds limit,
                                         std::size_t result_bytes, pid_t device) {
  static constexpr const char* during[] = {"", "while the stage's library was being loaded",
                                           "while CUDA was being started", "during the call"};
  const std::string when = during[static_cast<std::size_t>(operation)];
  if (!channel_) throw RunnerError(Kind::ended, "the process is gone");
  const Seconds left = clock_ ? clock_->left() : limit;
  const bool last = left < limit;  // the stage's time ends before this request's
  if (left <= Seconds(0)) {
    stop();
    throw RunnerError(Kind::timed_out, used_up(*clock_, when));
  }
  const OnTheClock running(clock_.get(), device);
  const auto still_allowed = [&] { return std::min(limit, left) - running.so_far(); };
  const std::uint64_t number = numbers_.next();
  const auto bytes = protocol::numbered(number, arguments.take());
  const auto deadline = [&] {
    return std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(still_allowed());
  };
  protocol::Message answer;
  Status status;
  try {
    channel_->send(operation, bytes, deadline());
    while (!channel_->has_answer(deadline())) {
      if (still_allowed() <= Seconds(0)) throw protocol::TimedOut();
    }
    answer = channel_->receive(std::chrono::steady_clock::now() + whole_answer,
                               status_bytes + result_bytes);
    Reader reader(answer.payload);
    if (answer.operation != operation || reader.get<std::uint64_t>() != number)
      throw protocol::WireError("an answer to another question");
    status = protocol::get_status(reader);
    const auto result = reader.get_bytes();
    reader.finish();
    if (status.ok()) return {result.begin(), result.end()};
  } catch (const protocol::Closed&) {
    throw_ended(when);
  } catch (const protocol::TimedOut&) {
    stop();
    if (last) throw RunnerError(Kind::timed_out, used_up(*clock_, when));
    throw RunnerError(Kind::timed_out,
                      "no answer within " + plain_number(limit.count()) + " s " + when);
  } catch (const protocol::WireError& error) {
    stop();
    throw RunnerError(Kind::forged, "the stage wrote into the grader's connection (" +
                                        std::string(error.what()) + ") " + when);
  }
  switch (status.kind) {
    case Status::Kind::cuda_error:
      // The number is the runner's claim; its name is ours.
      throw RunnerError(Kind::cuda,
                        std::string(sim::error_name(status.code)) + " (" +
                            sim::error_description(status.code) + ") " + when,
                        status.code);
    case Status::Kind::exception:
      throw RunnerError(Kind::exception, "the stage threw an exception, in its own words: " +
                                             in_quotes(status.text));
    case Status::Kind::not_loaded:
      throw RunnerError(Kind::not_loaded, "the library does not load; the loader's words: " +
                                              in_quotes(status.text, 400));
    default:
      throw RunnerError(Kind::refused, "the stage's process refused to go on " + when +
                                           ", in its own words: " + in_quotes(status.text));
  }
}

std::vector<ArgumentInfo> RunnerClient::load(const fs::path& library, const std::string& function,
                                             Seconds limit) {
  Writer arguments;
  arguments.put_text(library.string());
  arguments.put_text(function);
  const auto bytes = ask(Operation::load, arguments, limit, 4096);
  return decode(bytes, [](Reader& reader) {
    std::vector<ArgumentInfo> infos(
        std::min<std::uint32_t>(reader.get<std::uint32_t>(), 4096 / sizeof(ArgumentInfo)));
    for (ArgumentInfo& info : infos) {
      info.kind = static_cast<ArgumentKind>(reader.get<std::uint32_t>());
      info.element_bytes = reader.get<std::uint32_t>();
    }
    return infos;
  });
}

void RunnerClient::load_stage(const fs::path& library, const std::string& function,
                              const std::vector<ArgumentInfo>& arguments) {
  const bool same =
      std::ranges::equal(load(library, function, load_limit), arguments,
                         [](const ArgumentInfo& a, const ArgumentInfo& b) {
                           return a.kind == b.kind && a.element_bytes == b.element_bytes;
                         });
  if (!same)
    throw RunnerError(Kind::not_loaded,
                      function +
                          "() in the library has other parameters than the contract: build the "
                          "stage again");
}

void RunnerClient::start() {
  Writer arguments;
  ask(Operation::start, arguments, own_work, 0);
}

void RunnerClient::call(const std::vector<protocol::Argument>& arguments, Seconds limit,
                        pid_t device) {
  Writer words;
  words.put(std::uint64_t{arguments.size()});
  for (const protocol::Argument& argument : arguments) put(words, argument);
  ask(Operation::call, words, limit, 0, device);
}

}  // namespace gridstride
