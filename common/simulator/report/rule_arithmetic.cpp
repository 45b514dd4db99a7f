// Instructions: double precision that may not be meant, special functions, and too many of any
// kind.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "common/simulator/report/formatting.h"
#include "common/simulator/report/rules.h"

namespace gridstride::sim {
namespace {

using Count = std::uint64_t Counters::*;

struct Kind {
  const char* part;  ///< of the time model, that must be the limiter
  Count count;
  const char* text;
  const char* repair;
  std::array<Count, 3> slots{};  ///< that they take there, where those are counted; null for none
};

constexpr Kind kinds[] = {
    {"fp64", &Counters::double_instructions, "double-precision instructions",
     "Is double meant? A literal without f (0.5) or a function without f (sqrt) makes the whole "
     "expression double."},
    {"special",
     &Counters::special_instructions,
     "special functions",
     "Divide once and multiply by the reciprocal, take rsqrtf for 1 / sqrtf, move what does not "
     "change out of the loop.",
     {&Counters::special_slots}},
    {"integer",
     &Counters::integer_instructions,
     "integer instructions",
     "Simplify the index arithmetic: 32-bit indices, shifts for division by powers of two, what "
     "does not change moved out of the loop, the loop unrolled.",
     {&Counters::logic_slots, &Counters::sum_slots, &Counters::product_slots}},
    {"issue", &Counters::sass_instructions, "instructions",
     "Fewer instructions for each element: unroll loops, keep values in registers, load 16 bytes "
     "at "
     "once, let each thread do more."},
};

void halve(std::uint64_t& from, std::uint64_t of) { from -= std::min(from, of / 2); }

}  // namespace

std::vector<Advice> arithmetic_rule(const KernelView& kernel) {
  for (const Kind& kind : kinds) {
    if (kernel.limiter() != kind.part) continue;
    const auto most = std::max_element(kernel.lines.begin(), kernel.lines.end(),
                                       [&](const LineCounters& a, const LineCounters& b) {
                                         return a.counters.*kind.count < b.counters.*kind.count;
                                       });
    const std::uint64_t all = kernel.counters.*kind.count;
    if (most == kernel.lines.end() || all == 0) return {};
    Advice advice;
    advice.rule = "arithmetic";
    advice.file = most->file;
    advice.line = most->line;
    advice.text =
        percent_text(static_cast<double>(most->counters.*kind.count) / static_cast<double>(all)) +
        " of the kernel's " + count_text(static_cast<double>(all)) + " " + kind.text +
        " (of warps) stand here; half as many here is what is reckoned with";
    advice.repair = kind.repair;
    advice.saved_seconds = kernel.saved([&](const LaunchRecord& launch, ModelInputs& inputs) {
      const LineCounters* here = line_of(launch, *most);
      if (!here) return;
      halve(inputs.result.counters.*kind.count, here->counters.*kind.count);
      for (const Count slots : kind.slots) {
        if (slots) halve(inputs.result.counters.*slots, here->counters.*slots);
      }
      if (kind.count != &Counters::sass_instructions) {
        halve(inputs.result.counters.sass_instructions, here->counters.*kind.count);
      }
    });
    return {advice};
  }
  return {};
}

}  // namespace gridstride::sim
