// See the header.
#include "common/simulator/trace/named_threads.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <system_error>
#include <vector>

namespace gridstride::sim {
namespace {

std::uint32_t number(const std::ssub_match& digits) {
  return static_cast<std::uint32_t>(std::stoul(digits.str()));
}

}  // namespace

std::vector<NamedThread> named_threads(const std::string& message) {
  static const std::regex words(
      R"([Tt]hread \((\d{1,9}), (\d{1,9}), (\d{1,9})\) of block \((\d{1,9}), (\d{1,9}), (\d{1,9})\))");
  std::vector<NamedThread> threads;
  for (std::sregex_iterator at(message.begin(), message.end(), words), end; at != end; ++at) {
    const std::smatch& found = *at;
    threads.push_back({{number(found[1]), number(found[2]), number(found[3])},
                       {number(found[4]), number(found[5]), number(found[6])}});
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
