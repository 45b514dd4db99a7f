// See the header.
#include "common/simulator/trace/named_threads.h"

#include <cstdint>
#include <regex>
#include <string>
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

}  // namespace gridstride::sim
