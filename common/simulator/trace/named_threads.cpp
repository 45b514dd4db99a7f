// See the header.
#include "common/simulator/trace/named_threads.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace gridstride::sim {
namespace {

/// Takes `word` from the front of `text`, if it stands there.
bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

/// Takes "(1, 2, 3)", of at most nine digits each.
std::optional<Dim3> take_place(std::string_view& text) {
  Dim3 place;
  std::uint32_t* const axes[] = {&place.x, &place.y, &place.z};
  std::string_view before = "(";
  for (std::uint32_t* axis : axes) {
    if (!take(text, before)) return std::nullopt;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), *axis);
    if (error != std::errc() || rest - text.data() > 9) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    before = ", ";
  }
  return take(text, ")") ? std::optional(place) : std::nullopt;
}

}  // namespace

std::vector<NamedThread> named_threads(const std::string& message) {
  constexpr std::string_view words = "hread (";
  std::vector<NamedThread> threads;
  for (std::size_t at = message.find(words); at != std::string::npos;
       at = message.find(words, at + 1)) {
    if (at == 0 || (message[at - 1] != 't' && message[at - 1] != 'T')) continue;
    std::string_view rest = std::string_view(message).substr(at + words.size() - 1);
    const auto thread = take_place(rest);
    if (!thread || !take(rest, " of block ")) continue;
    if (const auto block = take_place(rest)) threads.push_back({*thread, *block});
  }
  return threads;
}

std::optional<Dim3> parse_block(const std::string& text) {
  Dim3 block{0, 0, 0};
  std::uint32_t* const axes[] = {&block.x, &block.y, &block.z};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::uint32_t* axis : axes) {
    const auto [rest, error] = std::from_chars(at, end, *axis);
    if (error != std::errc()) break;
    if (rest == end) return block;
    if (*rest != ',') break;
    at = rest + 1;
  }
  return std::nullopt;
}

}  // namespace gridstride::sim
