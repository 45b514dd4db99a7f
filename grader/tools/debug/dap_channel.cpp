// See the header. https://microsoft.github.io/debug-adapter-protocol/overview#base-protocol
#include "grader/tools/debug/dap_channel.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "common/text.h"

namespace gridstride::cli {
namespace {

constexpr std::size_t longest_line = 1024, longest_message = std::size_t{16} << 20;

}  // namespace

DapChannel::DapChannel(UniqueFd in, UniqueFd out) : in_(std::move(in)), out_(std::move(out)) {}

bool DapChannel::fill() {
  std::array<char, 65536> chunk;
  ssize_t count = 0;
  do {
    count = ::read(in_.get(), chunk.data(), chunk.size());
  } while (count < 0 && errno == EINTR);
  if (count > 0) unread_.append(chunk.data(), static_cast<std::size_t>(count));
  return count > 0;
}

std::string DapChannel::line() {
  std::size_t end = unread_.find('\n');
  while (end == std::string::npos) {
    if (unread_.size() > longest_line)
      throw BadFrame("a header line is longer than a header's can be");
    if (!fill()) throw BadFrame("the input ends within a message's header");
    end = unread_.find('\n');
  }
  std::string text = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

std::optional<std::string> DapChannel::read() {
  if (unread_.empty() && !fill()) return std::nullopt;
  std::optional<std::size_t> length;
  for (std::string text = line(); !text.empty(); text = line()) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos)
      throw BadFrame("expected a header, 'Content-Length: …', found " + in_quotes(text, 60));
    std::string name = text.substr(0, colon), value = text.substr(colon + 1);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    if (name != "content-length") continue;
    value.erase(0, value.find_first_not_of(" \t"));
    std::size_t number = 0;
    const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || rest != value.data() + value.size() || number > longest_message)
      throw BadFrame("Content-Length: expected a number of bytes up to " +
                     std::to_string(longest_message) + ", found " + in_quotes(value, 60));
    length = number;
  }
  if (!length) throw BadFrame("a message's header has no Content-Length");
  while (unread_.size() < *length) {
    if (!fill()) throw BadFrame("the input ends within a message");
  }
  std::string text = unread_.substr(0, *length);
  unread_.erase(0, *length);
  return text;
}

void DapChannel::send(nlohmann::json message) {
  message["seq"] = ++sent_;
  const std::string body = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const std::string text = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t count = ::write(out_.get(), text.data() + at, text.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw std::runtime_error("The editor has gone away.");
    at += static_cast<std::size_t>(count);
  }
}

}  // namespace gridstride::cli
