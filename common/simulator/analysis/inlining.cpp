// See the header.
#include "common/simulator/analysis/inlining.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gridstride::sim {
namespace {

struct Line {
  std::uint32_t file = 0, line = 0;
};

/// From the instruction's own line to the kernel's.
std::vector<Line> chain_of(const ptx::Location& at, const std::vector<ptx::InlinedCall>& calls) {
  std::vector<Line> chain;
  if (at.inner_line != 0) chain.push_back({at.inner_file, at.inner_line});
  for (std::uint32_t next = at.call; next != 0; next = calls[next - 1].call) {
    chain.push_back({calls[next - 1].file, calls[next - 1].line});
  }
  return chain;
}

/// The texts of all lines, from the nearest on, each `link`ed to the one before it, by `word` of
/// its own; of many the first and last two.
std::string joined(const std::vector<std::string>& lines, const char* link, const char* word) {
  constexpr std::size_t most = 6, ends = 2;
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) text += link;
    if (i == ends && lines.size() > most) {
      const std::size_t left_out = lines.size() - 2 * ends;
      text += ", by way of " + std::to_string(left_out) + " more calls,";
      i += left_out;
    }
    text += word + lines[i];
  }
  return text;
}

}  // namespace

std::string inlining_text(const ptx::Location& at, const std::vector<ptx::InlinedCall>& calls,
                          const std::vector<std::string>& files) {
  const std::vector<Line> chain = chain_of(at, calls);
  const auto own = std::ranges::find(chain, at.file, &Line::file);
  if (own == chain.end()) return "";
  const auto name = [&](const Line& line) {
    std::string text = "line " + std::to_string(line.line);
    if (line.file == at.file || line.file >= files.size()) return text;
    const std::string& path = files[line.file];
    return text + " of " + path.substr(path.rfind('/') + 1);
  };
  std::vector<std::string> below, above;
  for (auto line = own; line != chain.begin();) below.push_back(name(*--line));
  for (auto line = own + 1; line != chain.end(); ++line) above.push_back(name(*line));
  std::string text;
  if (!below.empty()) text = "calls inlined code:" + joined(below, ", which calls", " ");
  if (above.empty()) return text;
  return text + (below.empty() ? "" : ", and ") + "is called" +
         joined(above, ", which is called", " in ");
}

}  // namespace gridstride::sim
