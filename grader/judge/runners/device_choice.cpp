// Asks the device process of a real GPU whether there is one.
#include "grader/judge/runners/device_choice.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

#include "common/simulator/device/control.h"
#include "common/text.h"
#include "grader/judge/runners/installation.h"
#include "grader/judge/runners/session.h"
#include "grader/sandbox/sandbox.h"

namespace gridstride {
namespace {

/// Starting the driver takes seconds on a machine with many GPUs.
constexpr double longest_start = 60;

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/// In the program's own words, one line; `otherwise` where it has none.
std::string why_no_gpu(const Installation& installation, const std::string& otherwise) {
  ChildOptions child;
  child.command = {installation.gpu_device.string(), "--why-not"};
  child.policy = SandboxPolicy::off;
  child.limits.wall_seconds = longest_start;
  child.limits.file_bytes = 0;  // a driver keeps what it has compiled
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (const auto equals = text.find('='); equals != std::string::npos)
      child.environment[text.substr(0, equals)] = text.substr(equals + 1);
  }
  const ChildOutcome outcome = run_child(child);
  std::string words = outcome.output + outcome.errors;
  words.resize(std::min(words.find('\n'), words.size()));
  while (words.ends_with('.')) words.pop_back();
  return words.empty() ? otherwise : clean_text(words);
}

/// Why there is no GPU, in detail if that is `wanted`; empty when there is one.
std::string try_gpu(Grading& grading, bool wanted) {
  const Installation& installation = grading.installation;
  std::error_code ignored;
  if (!std::filesystem::exists(installation.gpu_device, ignored))
    return installation.gpu_device.filename().string() + " is not built";
  try {
    SessionOptions options;
    options.installation = &installation;
    options.gpu = true;
    sim::DeviceProcessOptions device = device_options(options);
    device.silent = true;  // where no GPU answers, the simulated one may do
    grading.hardware = sim::DeviceProcess(device).properties();
  } catch (const sim::DeviceProcessError& error) {
    return wanted ? why_no_gpu(installation, error.what()) : error.what();
  }
  grading.gpu = true;
  grading.device = {"gpu", clean_text(grading.hardware.name),
                    version_text(grading.hardware.driver_version), ""};
  return "";
}

}  // namespace

void choose_device(Grading& grading, const std::string& wanted) {
  if (wanted != "sim") {
    const std::string why_not = try_gpu(grading, wanted == "gpu");
    if (why_not.empty()) return;
    if (wanted == "gpu") {
      grading.device = {"gpu", "a GPU that does not answer", "", ""};
      throw CannotGrade("No GPU answers: " + why_not +
                        ". Repair: check nvidia-smi and ./lab doctor, or grade with --device sim.");
    }
  }
  SessionOptions options;
  options.installation = &grading.installation;
  grading.device = {"sim", sim::DeviceProcess(device_options(options)).properties().name, "", ""};
}

}  // namespace gridstride
