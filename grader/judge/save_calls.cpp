// Draws a timed call as for the baseline, and saves it.
#include "grader/judge/save_calls.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/judge/runners/argument_memory.h"
#include "grader/judge/timing/timing.h"
#include "grader/runner/saved_call.h"

namespace gridstride {
namespace {

void save(const Timed& timed, const Redraw& redraw, const std::filesystem::path& file) {
  std::vector<std::vector<std::byte>> contents;
  std::vector<SavedArgument> arguments;
  for (const CallArgument& argument : timed.call.arguments) {
    auto& bytes = contents.emplace_back();
    if (argument.info.kind != ArgumentKind::scalar)
      bytes.assign(argument.data().begin(), argument.data().end());
    arguments.push_back({allocation_for(argument, /*guard_bytes=*/0), {}});
  }
  for (const Redraw::Patch& patch : redraw.patches) {
    const std::uint64_t begin = patch.index * patch.element_bytes;
    std::ranges::copy(patch.bytes,
                      contents.at(patch.parameter).begin() + static_cast<std::ptrdiff_t>(begin));
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) arguments[i].data = contents[i];
  save_call(file, arguments);
}

void need_timed_call(const Contract& contract) {
  if (!contract.suite.timing)
    throw CannotGrade("grader.cpp says of " + contract.function + "() no call to be timed.");
}

}  // namespace

void save_timed_call(const Grading& grading, const Contract& contract,
                     std::optional<std::int64_t> size, const std::filesystem::path& folder) {
  need_timed_call(contract);
  Rng rng(grading.key("", "").with("timing"));
  const Timed timed =
      contract.suite.timing(rng, size ? *size : timing_size(grading, /*gpu=*/false));
  save(timed, {}, folder / (contract.function + ".call"));
}

void save_redrawn_call(const Grading& grading, const StageTask& task, const CallOnGpu& call,
                       const std::filesystem::path& folder) {
  need_timed_call(*task.contract);
  Grading on_gpu = grading;
  on_gpu.gpu = true;
  on_gpu.seed = call.seed;
  Rng rng(on_gpu.key(task.config->name, "").with("timing"));
  const Timed timed = task.contract->suite.timing(rng, timing_size(grading, /*gpu=*/true));
  Redraw redraw;
  for (int i = 0; timed.redraw && i < call.redraws; ++i) {
    redraw = {};
    timed.redraw(rng, redraw);
  }
  save(timed, redraw, folder / (task.config->name + ".call"));
}

}  // namespace gridstride
