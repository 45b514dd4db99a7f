// Writes what the program did, when it ends, to the file that GRIDSTRIDE_SIM_REPORT names.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include "common/simulator/device/local_device.h"
#include "common/simulator/findings/diagnostic_text.h"
#include "common/simulator/report/report.h"
#include "common/simulator/runtime/runtime.h"

namespace gridstride::sim {
namespace {

/// A leak harms nobody once the program has ended, so it is a note and no mistake.
void note_leaks(const std::vector<Allocation>& leaks) {
  if (leaks.empty()) return;
  std::uint64_t bytes = 0;
  std::string which;
  constexpr std::size_t most = 5;
  for (std::size_t i = 0; i < leaks.size(); ++i) {
    bytes += leaks[i].size;
    if (i < most) {
      which += (i > 0 ? ", " : "") + allocation_title(leaks[i]);
    } else if (i == most) {
      which += " and others";
    }
  }
  std::fprintf(stderr, "gridstride: note: %llu bytes were never given back with cudaFree: %s\n",
               static_cast<unsigned long long>(bytes), which.c_str());
}

/// Runs after the program's own destructors and atexit functions, for it depends on this library.
__attribute__((destructor)) void write_report() {
  const char* file = std::getenv("GRIDSTRIDE_SIM_REPORT");
  if (file == nullptr || *file == '\0') return;
  try {
    Runtime& runtime = Runtime::instance();
    const std::scoped_lock lock(runtime.mutex());
    if (const auto* device = dynamic_cast<const LocalDevice*>(runtime.own_device())) {
      note_leaks(device->leaks());
    }
    Activity activity;
    const DeviceProfile* profile = nullptr;
    if (Device* device = runtime.own_device()) {
      activity = device->activity();
      profile = &runtime.profile();
    }
    for (const std::string& refusal : runtime.refusals()) activity.refusals.push_back(refusal);
    write_report_file(file, activity, profile);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gridstride: no report: %s\n", error.what());
  }
}

}  // namespace
}  // namespace gridstride::sim
