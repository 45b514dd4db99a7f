// Messages of the Debug Adapter Protocol: JSON behind a header that says its length.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

#include "common/unique_fd.h"

namespace gridstride::cli {

/// What came is no message: where the next one would begin is not known.
class BadFrame : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class DapChannel {
 public:
  DapChannel(UniqueFd in, UniqueFd out);

  /// The next message's text; nothing at the end. Throws BadFrame.
  std::optional<std::string> read();
  /// Gives the message its number. Throws std::runtime_error when the other end is gone.
  void send(nlohmann::json message);

 private:
  std::string line();
  bool fill();

  UniqueFd in_, out_;
  std::string unread_;
  std::int64_t sent_ = 0;
};

}  // namespace gridstride::cli
