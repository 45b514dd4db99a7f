// Blocks that are over almost as soon as they have been started.
#include <vector>

#include "common/simulator/report/formatting.h"
#include "common/simulator/report/rules.h"

namespace gridstride::sim {

std::vector<Advice> blocks_rule(const KernelView& kernel) {
  const LaunchRecord& launch = kernel.longest();
  const double room =
      static_cast<double>(launch.resident_blocks) * kernel.profile.properties.multiprocessors;
  if (static_cast<double>(launch.grid.count()) < 4 * room) return {};
  Advice advice;
  advice.rule = "blocks";
  advice.text = "starting " + count_text(static_cast<double>(launch.grid.count())) +
                " blocks takes " + seconds_text(kernel.bound("blocks")) + " of " +
                seconds_text(kernel.seconds) +
                "; half as many that do twice as much is what is reckoned with";
  advice.repair = "Give each thread several elements (a grid-stride loop), and take fewer blocks.";
  advice.saved_seconds = kernel.saved([](const LaunchRecord&, ModelInputs& inputs) {
    inputs.shape.blocks = (inputs.shape.blocks + 1) / 2;
    inputs.result.block_latency_cycles *= 2;
  });
  return {advice};
}

}  // namespace gridstride::sim
