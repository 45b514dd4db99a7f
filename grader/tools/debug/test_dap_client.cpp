// See the header.
#include "grader/tools/debug/test_dap_client.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gridstride::cli {
namespace {

using nlohmann::json;

constexpr int patience_ms = 120'000;  // for a compiler on a busy machine

}  // namespace

TestDapClient::TestDapClient(const std::vector<std::string>& command, const std::string& errors) {
  ::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> to{}, from{};
  if (::pipe2(to.data(), O_CLOEXEC) != 0 || ::pipe2(from.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("no pipe");
  const UniqueFd said(::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(to[0], STDIN_FILENO);
    ::dup2(from[1], STDOUT_FILENO);
    ::dup2(said.get(), STDERR_FILENO);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  to_.reset(to[1]);
  from_.reset(from[0]);
  ::close(to[0]);
  ::close(from[1]);
}

TestDapClient::~TestDapClient() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void TestDapClient::send_bytes(const std::string& bytes) {
  if (::write(to_.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    throw std::runtime_error("the adapter takes no more");
}

json TestDapClient::read() {
  const auto more = [&] {
    pollfd fd{from_.get(), POLLIN, 0};
    std::array<char, 65536> chunk;
    const ssize_t count =
        ::poll(&fd, 1, patience_ms) == 1 ? ::read(from_.get(), chunk.data(), chunk.size()) : 0;
    if (count <= 0) throw std::runtime_error("the adapter says nothing more");
    unread_.append(chunk.data(), static_cast<std::size_t>(count));
  };
  while (unread_.find("\r\n\r\n") == std::string::npos) more();
  const std::string header = "Content-Length: ";
  if (!unread_.starts_with(header))
    throw std::runtime_error("the adapter writes what is no message: " + unread_.substr(0, 200));
  const std::size_t length = std::stoul(unread_.substr(header.size()));
  const std::size_t begin = unread_.find("\r\n\r\n") + 4;
  while (unread_.size() < begin + length) more();
  json message = json::parse(unread_.substr(begin, length));
  unread_.erase(0, begin + length);
  return message;
}

json TestDapClient::answer_to(const std::string& text) {
  send_bytes("Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text);
  for (;;) {
    json message = read();
    if (message.at("type") == "response") return message;
    if (message.at("event") == "output")
      output_ += message.at("body").at("output").get<std::string>();
    events_.push_back(std::move(message));
  }
}

json TestDapClient::request(const std::string& command, json arguments) {
  json message = {{"seq", ++sent_}, {"type", "request"}, {"command", command}};
  message["arguments"] = std::move(arguments);
  json response = answer_to(message.dump());
  if (response.at("request_seq") != sent_ || response.at("command") != command)
    throw std::runtime_error("a response to something else: " + response.dump());
  return response;
}

json TestDapClient::ask(const std::string& command, json arguments) {
  const json response = request(command, std::move(arguments));
  if (!response.at("success").get<bool>())
    throw std::runtime_error(command + ": " + response.value("message", ""));
  return response.value("body", json::object());
}

json TestDapClient::event(const std::string& name) {
  for (;;) {
    while (!events_.empty()) {
      const json message = std::move(events_.front());
      events_.pop_front();
      if (message.at("event") == name) return message.at("body");
    }
    json message = read();
    if (message.value("event", "") == "output")
      output_ += message.at("body").at("output").get<std::string>();
    events_.push_back(std::move(message));
  }
}

int TestDapClient::ended() {
  to_.reset();
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void TestDapClient::launch(json arguments) {
  ask("initialize", {{"adapterID", "lab"}});
  ask("launch", std::move(arguments));
  event("initialized");
}

json TestDapClient::stopped_after(const std::string& command, json arguments) {
  ask(command, std::move(arguments));
  return event("stopped");
}

json TestDapClient::frames(std::int64_t thread) {
  return ask("stackTrace", {{"threadId", thread}}).at("stackFrames");
}

std::map<std::string, std::string> TestDapClient::scope(std::int64_t frame,
                                                        const std::string& name) {
  std::map<std::string, std::string> values;
  const json scopes = ask("scopes", {{"frameId", frame}}).at("scopes");
  for (const json& scope : scopes) {
    if (scope.at("name") != name) continue;
    const json variables =
        ask("variables", {{"variablesReference", scope.at("variablesReference")}}).at("variables");
    for (const json& one : variables) values[one.at("name")] = one.at("value");
  }
  return values;
}

std::string TestDapClient::value(const std::string& expression, std::int64_t frame) {
  return ask("evaluate", {{"expression", expression}, {"frameId", frame}, {"context", "watch"}})
      .at("result");
}

}  // namespace gridstride::cli
