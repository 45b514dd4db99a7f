// Asks the device process of a real GPU whether there is one.
#include "grader/judge/runners/device_choice.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "common/cores.h"
#include "common/simulator/device/control.h"
#include "common/simulator/link/host.h"
#include "common/text.h"
#include "grader/course/thresholds.h"
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
  if (installation.host) {
    const std::string words = installation.host->why_no_gpu();
    return words.empty() ? otherwise : clean_text(words);
  }
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

/// Float units of a multiprocessor, by compute capability: "Throughput of native arithmetic
/// instructions" in the CUDA C++ Programming Guide.
double float_units(std::uint32_t capability) {
  switch (capability) {
    case 60:
    case 70:
    case 72:
    case 75:
    case 80:
      return 64;
    default:
      return 128;
  }
}

/// Additions to one word of global memory that the L2 makes in a clock, measured on an H200
/// (common/simulator/model/profiles/h200.toml, l2_atomics_sector).
constexpr double atomics_per_clock = 0.69;

DeviceRates rates_of(const sim::DeviceProperties& device) {
  const double clock = device.clock_khz * 1e3;
  DeviceRates rates;
  rates.bandwidth = sim::pin_bandwidth(device) / 1e9;
  rates.arithmetic = 2 * float_units(device.capability) * device.multiprocessors * clock / 1e9;
  rates.atomics = atomics_per_clock * clock / 1e9;
  return rates;
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
    grading.found_device = std::make_shared<sim::DeviceProcess>(device);
    grading.hardware = grading.found_device->properties();
  } catch (const sim::DeviceProcessError& error) {
    return wanted ? why_no_gpu(installation, error.what()) : error.what();
  }
  grading.gpu = true;
  grading.device = {"gpu", clean_text(grading.hardware.name),
                    version_text(grading.hardware.driver_version), ""};
  grading.device.rates = rates_of(grading.hardware);
  return "";
}

}  // namespace

void choose_device(Grading& grading, const std::string& wanted) {
  const std::string kind = sim::link::kind_in(wanted);
  auto& host = grading.installation.host;
  if (const std::string name = sim::link::host_in(wanted); !name.empty()) {
    try {
      host = std::make_shared<sim::link::LinkHost>(name, grading.installation.programs);
    } catch (const sim::link::HostError& error) {
      throw CannotGrade(error.what());
    }
  }
  if (kind != "sim") {
    const std::string why_not = try_gpu(grading, kind == "gpu");
    if (why_not.empty()) return;
    if (kind == "gpu") {
      grading.device = {"gpu", "a GPU that does not answer", "", ""};
      throw CannotGrade(
          host
              ? fmt::format("No GPU of {0} answers: {1}. Repair: `ssh {0} nvidia-smi` has to work; "
                            "--device ssh:{0},sim grades on its simulated GPU.",
                            host->name(), why_not)
              : fmt::format("No GPU answers: {}. Repair: check nvidia-smi and ./lab doctor, or "
                            "grade with --device sim.",
                            why_not));
    }
  }
  SessionOptions options;
  options.installation = &grading.installation;
  grading.device = {"sim", sim::DeviceProcess(device_options(options)).properties().name, "", ""};
}

std::string kind_of_device(const Grading& grading) {
  const auto& host = grading.installation.host;
  return std::string(grading.gpu ? "a GPU" : "the simulated GPU") +
         (host ? " of " + host->name() : "");
}

int calls_at_once(const Grading& grading) {
  // More than sshd lets through one connection would need connections of their own.
  constexpr int most_on_a_host = 4;
  const auto& host = grading.installation.host;
  return host ? std::min(host->cores(), most_on_a_host) : available_cores();
}

void choose_thresholds_for(Grading& grading) {
  grading.thresholds =
      choose_thresholds(all_thresholds(grading.installation.tree / "thresholds"), grading.device);
  if (grading.thresholds)
    grading.device.thresholds = {grading.thresholds->thresholds.device.name,
                                 grading.thresholds->estimated};
}

}  // namespace gridstride
