// lab sim: runs any program that uses the shared CUDA runtime on the simulated GPU.
#include <cstdio>
#include <string>

#include "common/simulator/report/report.h"
#include "common/terminal.h"
#include "common/text.h"
#include "grader/tools/commands.h"
#include "grader/tools/simulate.h"

namespace gridstride::cli {

int sim(const Places& places, const SimOptions& options) {
  const Simulated simulated = simulate(places, options);
  if (!simulated.has_report) {
    std::fprintf(stderr,
                 "\nlab: %s left no report: it did not use the CUDA runtime, or did not end by "
                 "itself (exit code %d).\n",
                 options.command.front().c_str(), simulated.exit_code);
    return simulated.exit_code;
  }
  const std::string words = options.explain ? sim::to_text(simulated.explained, style_of(stderr))
                                            : clean_text(sim::summary(simulated.explained.report));
  std::fprintf(stderr, "\n%s", words.c_str());
  return simulated.exit_code;
}

}  // namespace gridstride::cli
