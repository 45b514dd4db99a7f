// Asks a runner what device it sees.
#include "grader/judge/runners/device_choice.h"

#include <fmt/core.h>

#include <string>

#include "common/simulator/device/control.h"
#include "common/text.h"
#include "grader/judge/runners/runner_client.h"

namespace gridstride {
namespace {

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/// Why there is no GPU; empty when there is one.
std::string try_gpu(Grading& grading) {
  RunnerOptions options;
  options.installation = &grading.installation;
  options.gpu = true;
  try {
    if (grading.installation.cuda.empty()) return "no libcudart.so.13 was found";
    RunnerClient runner(options);
    grading.hardware = runner.describe();
  } catch (const RunnerError& error) {
    return error.what();
  }
  grading.gpu = true;
  grading.device = {"gpu", clean_text(grading.hardware.name),
                    version_text(grading.hardware.driver_version),
                    version_text(grading.hardware.runtime_version)};
  return "";
}

}  // namespace

void choose_device(Grading& grading, const std::string& wanted) {
  if (wanted != "sim") {
    const std::string why_not = try_gpu(grading);
    if (why_not.empty()) return;
    if (wanted == "gpu") {
      grading.device = {"gpu", "a GPU that does not answer", "", ""};
      throw CannotGrade("No GPU answers: " + why_not +
                        ". Repair: check nvidia-smi and ./lab doctor, or grade with --device sim.");
    }
  }
  sim::DeviceProcessOptions options;
  options.program = need(grading.installation.device, "gridstride-device");
  options.profile = grading.installation.profile;
  grading.device = {"sim", sim::DeviceProcess(options).properties().name, "", ""};
}

}  // namespace gridstride
