// Writes what the program did, when it ends, to the file that GRIDSTRIDE_SIM_REPORT names.
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "common/simulator/report/report.h"
#include "common/simulator/runtime/runtime.h"

namespace gridstride::sim {
namespace {

/// Runs after the program's own destructors and atexit functions, for it depends on this library.
__attribute__((destructor)) void write_report() {
  const char* file = std::getenv("GRIDSTRIDE_SIM_REPORT");
  if (file == nullptr || *file == '\0') return;
  Runtime& runtime = Runtime::instance();
  const std::scoped_lock lock(runtime.mutex());
  try {
    Activity activity;
    const DeviceProfile* profile = nullptr;
    if (Device* device = runtime.own_device()) {
      activity = device->activity();
      profile = &runtime.profile();
    }
    for (const std::string& refusal : runtime.refusals()) activity.refusals.push_back(refusal);
    write_report_file(file, to_json(activity, profile));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gridstride: no report: %s\n", error.what());
  }
}

}  // namespace
}  // namespace gridstride::sim
