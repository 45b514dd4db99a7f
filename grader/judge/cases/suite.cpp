// Sizes at which kernels break; names of parameters.
#include "grader/judge/cases/suite.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace gridstride {

std::vector<std::int64_t> edge_sizes() {
  return {0,    1,    2,    3,    31,   32,    33,    63,    64,     65,    127,  128,
          129,  255,  256,  257,  511,  512,   513,   1021,  1023,   1024,  1025, 2047,
          2048, 2049, 4093, 4096, 4097, 16381, 65536, 65537, 100003, 262147};
}

namespace {

/// A whole number of either length; 0 where the argument is none.
std::uint64_t whole_number(const CallArgument& argument) {
  const auto bytes = argument.data();
  if (argument.info.kind != ArgumentKind::scalar) return 0;
  std::int64_t value = 0;
  if (std::int32_t small = 0; bytes.size() == sizeof small) {
    std::memcpy(&small, bytes.data(), sizeof small);
    value = small;
  } else if (bytes.size() == sizeof value) {
    std::memcpy(&value, bytes.data(), sizeof value);
  }
  return value > 0 ? static_cast<std::uint64_t>(value) : 0;
}

}  // namespace

void name_arguments(Call& call, const SuiteData& suite) {
  auto& arguments = call.arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    arguments[i].name =
        i < suite.names.size() ? suite.names[i] : "parameter " + std::to_string(i + 1);
  const auto named = [&](const std::string& name) -> CallArgument& {
    const auto found = std::ranges::find(arguments, name, &CallArgument::name);
    if (found == arguments.end())
      throw std::logic_error("grader.cpp speaks of rows of a parameter '" + name +
                             "', which parameters() does not name");
    return *found;
  };
  for (const auto& [array, columns] : suite.columns)
    named(array).columns = whole_number(named(columns));
}

std::string CallArgument::element(std::uint64_t index) const {
  std::string words = name + "[" + std::to_string(index) + "]";
  if (columns != 0)
    words += " (row " + std::to_string(index / columns) + ", column " +
             std::to_string(index % columns) + ")";
  return words;
}

}  // namespace gridstride
