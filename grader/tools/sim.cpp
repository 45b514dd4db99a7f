// lab sim: runs any program that uses the shared CUDA runtime on the simulated GPU.
#include <cstdio>
#include <filesystem>
#include <string>

#include "common/simulator/report/report.h"
#include "common/terminal.h"
#include "common/text.h"
#include "grader/cli/toolkit.h"
#include "grader/course/course.h"
#include "grader/course/lab_path.h"
#include "grader/tools/commands.h"
#include "grader/tools/simulate.h"

namespace gridstride::cli {

int sim(const Places& places, const SimOptions& options) {
  const std::string& program = options.command.front();
  if (is_source(program) && std::filesystem::exists(program) &&
      !is_own_program(program, lab_names(places.build()), places.tree()))
    throw UsageError(escaped(program) +
                     " belongs to a lab, and is no program: `lab explain`, `lab trace` and `lab "
                     "debug` take stages.");
  const Simulated simulated = simulate(places, options);
  if (!simulated.has_report) {
    std::fputc('\n', stderr);
    return complain(about_no_report(program, simulated.exit_code), simulated.exit_code);
  }
  const std::string words = options.explain ? sim::to_text(simulated.explained, style_of(stderr))
                                            : clean_text(sim::summary(simulated.explained.report));
  std::fprintf(stderr, "\n%s", words.c_str());
  return simulated.exit_code;
}

}  // namespace gridstride::cli
