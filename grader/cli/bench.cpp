// lab bench: every solution beside the library a user would otherwise pick. Needs a real GPU.

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/subprocess.h"
#include "grader/cli/build.h"
#include "grader/cli/command.h"
#include "grader/cli/gpu.h"
#include "grader/course/course.h"
#include "grader/report/results.h"

namespace gridstride::cli {

int bench(const Places& places, const BenchOptions& options) {
  std::vector<std::string> labs = lab_names(places.build());
  if (!options.lab.empty()) labs = {select({options.lab}, labs, places.tree()).front().lab.name};
  std::erase_if(labs, [&](const std::string& lab) {
    return !std::filesystem::exists(places.tree() / "solutions" / lab / "bench.cu");
  });
  if (labs.empty())
    throw std::runtime_error(
        "There is nothing to compare: bench.cu stands beside the solutions, "
        "which this tree does not hold.");
  const GpuStatus gpu = find_gpu();
  if (!gpu.available)
    throw std::runtime_error("bench compares real times and needs a GPU, but " + gpu.reason + ".");

  int worst = exit_pass;
  for (const std::string& lab : labs) {
    if (!options.no_build) build(places.build(), "bench-" + lab, {"bench-" + lab});
    Subprocess program;
    program.command = {places.program("bench-" + lab).string()};
    program.command.insert(program.command.end(), options.arguments.begin(),
                           options.arguments.end());
    if (!run_process(program).succeeded()) worst = exit_infrastructure;
  }
  return worst;
}

}  // namespace gridstride::cli
