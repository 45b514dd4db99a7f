// gridstride-device: the simulated GPU as a process, for one runner and one judge.
//
// It is started by DeviceProcess (control.h) with both sockets and the memory shared with the judge
// open. It ends when the judge closes
// the control socket, or dies.
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/program_options.h"
#include "common/shared_bytes.h"
#include "common/simulator/device/device_server.h"
#include "common/simulator/device/local_device.h"
#include "common/simulator/device/process_end.h"
#include "common/simulator/device/trace_file.h"
#include "common/unique_fd.h"

namespace {

/// What a client makes this process remember (allocations, modules, events) has a limit beside the
/// memory of the GPU, so that it runs into an error here and not the machine out of memory.
void limit_memory([[maybe_unused]] std::uint64_t global_memory) {
#ifndef __SANITIZE_ADDRESS__                       // whose shadow counts as well
  constexpr std::uint64_t addresses_per_byte = 8;  // GlobalMemory spreads its allocations that far
  constexpr std::uint64_t rest = std::uint64_t{3} << 30;
  const std::uint64_t bytes = global_memory * addresses_per_byte + rest;
  const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
  setrlimit(RLIMIT_DATA, &limit);
#endif
}

/// Blocks and launches take and give back the same memory again and again; handing it to the system
/// each time takes a third of the time of some kernels.
void keep_memory() {
  constexpr int bytes = 256 << 20;
  mallopt(M_TRIM_THRESHOLD, bytes);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest there is
}

}  // namespace

namespace {

using namespace gridstride;

int run(const std::vector<std::string>& words) {
  ProgramOptions app("gridstride-device",
                     "The simulated GPU that grading uses; started by the grader, not by hand.");
  int client = -1, control = -1, shared = -1;
  std::string profile, trace;
  sim::LocalDeviceOptions options;
  app.number("--client", client, "Socket of the runner");
  app.number("--control", control, "Socket of the judge");
  app.number("--shared", shared, "Memory shared with the judge");
  for (const char* name : {"--client", "--control", "--shared"}) app.require(name);
  app.text("--profile", profile, "Device profile: h200, a100, t4, or a TOML file");
  app.number("--schedule-seed", options.schedule_seed, "Order of blocks and warps; 0: in order");
  app.number("--instruction-budget", options.instruction_budget,
             "Warp instructions that one launch may take; 0: any number");
  app.option("--check", "LIST", "Mistakes to look for, with commas between: " + sim::check_names(),
             [&](const std::string& list) { options.checks = sim::checks_named(list); });
  app.text("--trace", trace, "File that says what to record (TraceRequest)");
  if (!app.parse(words)) return 0;

  prctl(PR_SET_DUMPABLE, 0);  // a runner of the same user must not attach to it
  if (!profile.empty()) options.profile = sim::profile_named(profile);
  limit_memory(options.profile.properties.global_memory);
  std::thread(sim::end_with_the_judge, control).detach();
  SharedBytes memory{UniqueFd(shared)};
  options.shared = &memory;
  std::optional<sim::TraceFile> recorded;
  if (!trace.empty()) options.trace = &recorded.emplace(trace);
  sim::LocalDevice device(options);
  sim::DeviceServer server(device, UniqueFd(client), UniqueFd(control));
  server.run();
  return 0;
}

}  // namespace

int main(int count, char** words) {
  keep_memory();
  try {
    return run({words + 1, words + count});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gridstride-device: %s\n", error.what());
    return 1;
  }
}
