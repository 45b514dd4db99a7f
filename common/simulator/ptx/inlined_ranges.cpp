// See inlined_ranges.h.
#include "common/simulator/ptx/inlined_ranges.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gridstride::sim::ptx {

void locate_inlined(Function& function, const std::vector<InlinedRange>& ranges) {
  // What an instruction's Location::call is, and the outermost call, by instruction.
  std::vector<std::uint32_t> calls(function.body.size(), 0), outermost(function.body.size(), 0);
  constexpr std::size_t most_steps = std::size_t{1} << 24;  // text must not cost without bound
  std::size_t steps = 0;
  for (const InlinedRange& range : ranges) {
    if (range.begin >= range.end || range.begin >= function.body.size()) continue;
    steps += range.end - range.begin;
    if (steps > most_steps) break;
    function.calls.push_back({range.file, range.line, calls[range.begin]});
    const auto call = static_cast<std::uint32_t>(function.calls.size());
    const std::size_t end = std::min<std::size_t>(range.end, function.body.size());
    for (std::size_t i = range.begin; i < end; ++i) {
      if (calls[i] == 0) outermost[i] = call;
      calls[i] = call;
    }
  }
  for (std::size_t i = 0; i < function.body.size(); ++i) {
    Location& at = function.body[i].location;
    if (calls[i] == 0 || at.call != 0 || at.file == 0) continue;
    const InlinedCall place{at.file, at.line, calls[i]}, &outer = function.calls[outermost[i] - 1];
    at = {.file = outer.file,
          .line = outer.line,
          .inner_file = place.file,
          .inner_line = place.line,
          .own_line = innermost_line_in(outer.file, place, function.calls),
          .call = place.call};
  }
}

}  // namespace gridstride::sim::ptx
