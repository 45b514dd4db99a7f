// Figures in sentences.
#include "common/simulator/report/formatting.h"

#include <fmt/core.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/text.h"

namespace gridstride::sim {
namespace {

/// Where the parameters of a demangled function begin: behind its name at the end, for arguments of a
/// template have parentheses as well ("k<(Mode)1>(float*)").
std::size_t begin_of_parameters(std::string_view text) {
  int open = 0;
  for (std::size_t i = text.size(); text.ends_with(')') && i-- > 0;) {
    open += text[i] == ')' ? 1 : text[i] == '(' ? -1 : 0;
    if (open == 0) return i;
  }
  return text.size();
}

/// Where the name begins: demangled templates begin with what they return.
std::size_t begin_of_name(std::string_view text) {
  std::size_t begin = 0;
  int open = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (std::string_view("<([{").find(text[i]) != std::string_view::npos) ++open;
    if (std::string_view(">)]}").find(text[i]) != std::string_view::npos) --open;
    if (text[i] == ' ' && open == 0) begin = i + 1;
  }
  return begin;
}

}  // namespace

std::string seconds_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.2f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3f} ms", seconds * 1e3);
  return fmt::format("{:.3f} s", seconds);
}

std::string percent_text(double share) {
  return fmt::format("{:.{}f} %", 100 * share, share >= 0.0005 && share < 0.00995 ? 1 : 0);
}

std::string number_text(double number) {
  if (std::abs(number - std::round(number)) < 0.005) return fmt::format("{:.0f}", number);
  if (number >= 100) return fmt::format("{:.0f}", number);
  return fmt::format("{:.{}g}", number, number < 10 ? 2 : 3);
}

std::string count_text(double count) {
  if (count < 10'000) return fmt::format("{:.0f}", count);
  if (count < 1e6) return fmt::format("{:.0f} thousand", count / 1e3);
  if (count < 1e9) return fmt::format("{:.1f} million", count / 1e6);
  return fmt::format("{:.1f} billion", count / 1e9);
}

std::string bytes_text(double bytes) {
  if (bytes < 1024) return fmt::format("{:.0f} bytes", bytes);
  if (bytes < 1024 * 1024) return number_text(bytes / 1024) + " KiB";
  return number_text(bytes / 1024 / 1024) + " MiB";
}

std::string rate_text(double rate, const char* unit) {
  if (rate < 1e9) return number_text(rate / 1e6) + " M" + unit;
  if (rate < 1e12) return number_text(rate / 1e9) + " G" + unit;
  return number_text(rate / 1e12) + " T" + unit;
}

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

std::string short_kernel(const std::string& kernel) {
  static constexpr std::string_view anonymous = "(anonymous namespace)::";
  constexpr std::size_t most_bytes = 100;
  std::string text = kernel;
  for (auto at = text.find(anonymous); at != std::string::npos; at = text.find(anonymous)) {
    text.erase(at, anonymous.size());
  }
  if (const std::size_t parameters = begin_of_parameters(text); parameters != 0)
    text.resize(parameters);
  return shorten_middle(text.substr(begin_of_name(text)), most_bytes);
}

std::string line_text(std::string_view file, std::uint64_t line, std::string_view main_file) {
  std::string text = "line " + std::to_string(line);
  if (file != main_file) text += " of " + base_name(file);
  return text;
}

}  // namespace gridstride::sim
