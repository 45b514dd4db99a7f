// Finds our own programs.
#include "grader/judge/runners/installation.h"

#include <filesystem>
#include <string>
#include <system_error>

#include "common/paths.h"

namespace gridstride {
namespace fs = std::filesystem;

Installation Installation::find() {
  const fs::path build = build_folder();
  Installation installation;
  installation.programs = build / "bin";
  installation.runner = build / "bin/gridstride-runner";
  installation.device = build / "bin/gridstride-device";
  installation.gpu_device = build / "bin/gridstride-gpu-device";
  installation.simulated_cuda = build / "lib/sim";
  installation.stages = build / "stages";
  installation.tree = source_tree();
  return installation;
}

const fs::path& need(const fs::path& file, const std::string& target) {
  std::error_code ignored;
  if (!fs::exists(file, ignored))
    throw CannotGrade(file.filename().string() + " is not built. Repair: build the target " +
                      target + " (./lab grade does it).");
  return file;
}

}  // namespace gridstride
