// gridstride-gpu-device: a real GPU as a process, for one runner and one judge. See
// common/simulator/device/device_main.cpp, which is the simulated one.
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "common/program_options.h"
#include "common/shared_bytes.h"
#include "common/simulator/device/device_server.h"
#include "common/simulator/device/process_end.h"
#include "common/simulator/gpu/gpu_device.h"
#include "common/simulator/gpu/gpu_watch.h"
#include "common/simulator/link/transport.h"
#include "common/unique_fd.h"

namespace {

using namespace gridstride;

/// Bytes of private memory that this process may write, as RLIMIT_DATA counts them.
std::uint64_t data_bytes() {
  std::ifstream pages("/proc/self/statm");
  std::uint64_t size = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
  pages >> size >> resident >> shared >> text >> library >> data;
  return data * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// What a client makes this process and the driver in it remember (modules, streams, textures) runs
/// into an error here, and not the machine out of memory. What the driver has taken by now, when
/// no client was served, is the GPU's affair.
void limit_memory() {
#ifndef __SANITIZE_ADDRESS__  // whose shadow counts as well
  constexpr std::uint64_t for_the_client = std::uint64_t{4} << 30;
  const std::uint64_t bytes = data_bytes() + for_the_client;
  const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
  setrlimit(RLIMIT_DATA, &limit);
#endif
}

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

/// Of this user's processes those that drive a GPU for a grade, whoever started them.
int own_processes() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::error_code unreadable;
    const std::filesystem::path program =
        std::filesystem::read_symlink(entry.path() / "exe", unreadable).filename();
    if (!program.string().starts_with("gridstride-gpu-device")) continue;
    std::ifstream words(entry.path() / "cmdline");
    const std::string all{std::istreambuf_iterator<char>(words), {}};
    count += all.find("--client") != std::string::npos ? 1 : 0;
  }
  return count;
}

/// For a judge on another host: what the GPU is, then what it is like, a line each time that it asks by one.
int watch(const std::string& pci_bus_id) {
  const auto watch = sim::GpuWatch::open(pci_bus_id);
  if (!watch) return 2;
  std::cout << (watch->ecc() ? "ecc" : "-") << ' ' << (watch->mig() ? "mig" : "-") << std::endl;
  for (std::string asked; std::getline(std::cin, asked);) {
    sim::GpuSample sample = watch->sample();
    sample.own_processes = own_processes();
    std::cout << line_of(sample) << std::endl;
  }
  return 0;
}

void run(const std::vector<std::string>& words) {
  ProgramOptions app("gridstride-gpu-device",
                     "A real GPU for grading; started by the grader, not by hand.");
  int client = -1, control = -1, shared = -1;
  bool ask = false, elsewhere = false;
  std::string ignored, watched;
  app.flag("--why-not", "Say on standard error why no GPU answers, and end", [&] { ask = true; });
  app.text("--watch", watched,
           "Say what the GPU at this PCI address is like, a line for each line read");
  app.number("--client", client, "Socket of the runner");
  app.number("--control", control, "Socket of the judge");
  app.number("--shared", shared, "Memory shared with the judge");
  app.flag(
      "--program-elsewhere",
      "Runner and judge are on another host, and the control socket tells what a program thinks",
      [&] { elsewhere = true; });
  for (const char* name : {"--profile", "--schedule-seed", "--instruction-budget"})
    app.text(name, ignored, "Of the simulated GPU; without meaning here");
  if (!app.parse(words)) std::exit(0);
  if (ask) std::exit(why_not());
  if (!watched.empty()) std::exit(watch(watched));

  std::thread(sim::end_with_the_judge, control).detach();
  SharedBytes memory{UniqueFd(shared)};
  sim::GpuDevice device(
      memory, [](const auto& work) { return sim::transport_seconds(work, sim::Waiting::busily); },
      elsewhere ? sim::CallClock::Program::elsewhere : sim::CallClock::Program::here);
  limit_memory();
  // A runner of the same user must not attach to this process. None runs yet: it is started when
  // the judge has its first answer.
  prctl(PR_SET_DUMPABLE, 0);
  sim::DeviceServer server(device, UniqueFd(client), UniqueFd(control),
                           elsewhere ? sim::Waiting::patiently : sim::Waiting::busily);
  server.run();
  // The context goes with the process; taking it apart would wait for kernels that never end.
  std::_Exit(0);
}

}  // namespace

int main(int count, char** words) {
  try {
    run({words + 1, words + count});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gridstride-gpu-device: %s\n", error.what());
    return 2;
  }
}
