// What the course uses of fmt.
#include <fmt/core.h>

#include <string>

std::string run(const std::string& name, int count, double value, int digits) {
  return fmt::format("{} of {}: {:.{}f}", count, name, value, digits) +
         fmt::format("{}", count == 1 ? "byte" : "bytes");
}
