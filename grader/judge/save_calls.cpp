// Draws a timed call as for the baseline, and saves it.
#include "grader/judge/save_calls.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "grader/judge/runners/argument_memory.h"
#include "grader/judge/timing/timing.h"
#include "grader/runner/saved_call.h"

namespace gridstride {

void save_timed_call(const Grading& grading, const Contract& contract, const CallChoice& choice,
                     const std::filesystem::path& folder) {
  if (!contract.suite.timing)
    throw CannotGrade("grader.cpp says of " + contract.function + "() no call to be timed.");
  Rng rng(grading.key("", "").with("timing"));
  const Timed timed =
      contract.suite.timing(rng, choice.size ? *choice.size : timing_size(grading, /*gpu=*/false));
  Redraw redraw;
  if (choice.redrawn && timed.redraw) timed.redraw(rng, redraw);
  std::vector<std::vector<std::byte>> contents;
  std::vector<SavedArgument> arguments;
  for (const CallArgument& argument : timed.call.arguments) {
    auto& bytes = contents.emplace_back();
    if (argument.info.kind != ArgumentKind::scalar)
      bytes.assign(argument.data().begin(), argument.data().end());
    arguments.push_back({allocation_for(argument, /*guard_bytes=*/0), {}});
  }
  for (const Redraw::Patch& patch : redraw.patches) {
    std::ranges::copy(patch.bytes,
                      contents.at(patch.parameter).begin() +
                          static_cast<std::ptrdiff_t>(patch.index * patch.element_bytes));
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) arguments[i].data = contents[i];
  save_call(folder / (contract.function + ".call"), arguments);
}

}  // namespace gridstride
