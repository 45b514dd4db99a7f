// Draws a timed call as for the baseline, and saves it.
#include "grader/judge/save_calls.h"

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

void save_timed_call(const Grading& grading, const Contract& contract,
                     std::optional<std::int64_t> size, const std::filesystem::path& folder) {
  if (!contract.suite.timing)
    throw CannotGrade("grader.cpp says of " + contract.function + "() no call to be timed.");
  Rng rng(grading.key("", "").with("timing"));
  const Timed timed =
      contract.suite.timing(rng, size ? *size : timing_size(grading, /*gpu=*/false));
  std::vector<SavedArgument> arguments;
  for (const CallArgument& argument : timed.call.arguments) {
    const bool scalar = argument.info.kind == ArgumentKind::scalar;
    arguments.push_back({allocation_for(argument, /*guard_bytes=*/0),
                         scalar ? std::span<const std::byte>() : argument.data()});
  }
  save_call(folder / (contract.function + ".call"), arguments);
}

}  // namespace gridstride
