// For tests: an editor, as far as the Debug Adapter Protocol goes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <list>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/unique_fd.h"

namespace gridstride::cli {

class TestDapClient {
 public:
  /// Starts the adapter. What it says on standard error goes to the file `errors`.
  TestDapClient(const std::vector<std::string>& command, const std::string& errors);
  ~TestDapClient();  ///< kills it if it still runs
  TestDapClient(const TestDapClient&) = delete;
  TestDapClient& operator=(const TestDapClient&) = delete;

  /// Sends a request, and waits for its response. Throws std::runtime_error when none comes.
  nlohmann::json request(const std::string& command,
                         nlohmann::json arguments = nlohmann::json::object());
  /// The same; its body. Throws std::runtime_error with its words when it fails.
  nlohmann::json ask(const std::string& command,
                     nlohmann::json arguments = nlohmann::json::object());
  /// The next event of that name, its body. Throws std::runtime_error when none comes.
  nlohmann::json event(const std::string& name);
  /// All "output" events so far, one behind the other.
  const std::string& output() const { return output_; }

  void send_bytes(const std::string& bytes);
  /// A message of that text, whatever it is; the response to it.
  nlohmann::json answer_to(const std::string& text);
  /// Closes its input and waits for its end: the exit code, or 128 + signal.
  int ended();

  // What an editor does with these.
  void launch(nlohmann::json arguments);  ///< until the event "initialized"
  nlohmann::json stopped_after(const std::string& command, nlohmann::json arguments);
  nlohmann::json frames(std::int64_t thread);
  /// A scope of a frame, by name: what its variables hold.
  std::map<std::string, std::string> scope(std::int64_t frame, const std::string& name);
  std::string value(const std::string& expression, std::int64_t frame);

 private:
  nlohmann::json read();

  UniqueFd to_, from_;
  pid_t pid_ = -1;
  std::int64_t sent_ = 0;
  std::string unread_, output_;
  std::list<nlohmann::json> events_;
};

}  // namespace gridstride::cli
