// gridstride-gpu-device: a real GPU as a process, for one runner and one judge. See
// common/simulator/device/device_main.cpp, which is the simulated one.
#include <sys/prctl.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

#include "common/shared_bytes.h"
#include "common/simulator/device/device_server.h"
#include "common/simulator/device/process_end.h"
#include "common/simulator/gpu/gpu_device.h"
#include "common/simulator/gpu/transport.h"
#include "common/unique_fd.h"

namespace {

using namespace gridstride;

/// Says why no GPU answers.
int why_not() {
  try {
    SharedBytes none = SharedBytes::create();
    const sim::GpuDevice device(none, {});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

}  // namespace

int main(int count, char** words) {
  CLI::App app("A real GPU for grading; started by the grader, not by hand.");
  int client = -1, control = -1, shared = -1;
  bool ask = false;
  std::string ignored;
  auto* wanted =
      app.add_flag("--why-not", ask, "Say on standard error why no GPU answers, and end");
  for (auto* option : {app.add_option("--client", client, "Socket of the runner"),
                       app.add_option("--control", control, "Socket of the judge"),
                       app.add_option("--shared", shared, "Memory shared with the judge")}) {
    option->excludes(wanted);
  }
  for (const char* name : {"--profile", "--schedule-seed", "--instruction-budget"}) {
    app.add_option(name, ignored, "Of the simulated GPU; without meaning here");
  }
  CLI11_PARSE(app, count, words);
  if (ask) return why_not();

  try {
    std::thread(sim::end_with_the_judge, control).detach();
    SharedBytes memory{UniqueFd(shared)};
    sim::GpuDevice device(memory, sim::transport_seconds());
    // A runner of the same user must not attach to this process. None runs yet: it is started when
    // the judge has its first answer.
    prctl(PR_SET_DUMPABLE, 0);
    sim::DeviceServer server(device, UniqueFd(client), UniqueFd(control), sim::Waiting::busily);
    server.run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gridstride-gpu-device: %s\n", error.what());
    return 2;
  }
  // The context goes with the process; taking it apart would wait for kernels that never end.
  std::_Exit(0);
}
