// gridstride-link: both ends of the way to a device process on another host.
//
//   gridstride-link near COUNT WORD… PROGRAM --client N …   stands for it; the COUNT words start the far end
//   gridstride-link far                                     the far end, over its standard streams
//   gridstride-link check                                   says that it runs
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/program_options.h"
#include "common/simulator/link/far_end.h"
#include "common/simulator/link/near_end.h"

namespace {

using namespace gridstride;
namespace fs = std::filesystem;

int near_end(std::vector<std::string> words) {
  const std::size_t count = words.empty() ? 0 : std::strtoul(words.front().c_str(), nullptr, 10);
  if (count == 0 || words.size() < count + 2) throw std::runtime_error("no words for the far end");
  const auto program = words.begin() + 1 + static_cast<std::ptrdiff_t>(count);
  const std::vector<std::string> far(words.begin() + 1, program);
  sim::link::Start start;
  start.program = fs::path(*program).filename();
  sim::link::NearDescriptors fds;
  ProgramOptions app(
      "gridstride-link near",
      "Stands for a device process on another host; started by the grader, not by hand.");
  app.number("--client", fds.client, "Socket of the runner");
  app.number("--control", fds.control, "Socket of the judge");
  app.number("--shared", fds.shared, "Memory shared with the judge");
  for (const char* name : {"--client", "--control", "--shared"}) app.require(name);
  app.text("--profile", start.profile, "As the device process has it, and so the next two");
  app.number("--schedule-seed", start.schedule_seed, "Order of blocks and warps");
  app.number("--instruction-budget", start.instruction_budget, "Warp instructions of a launch");
  if (!app.parse({program + 1, words.end()})) return 0;
  ::prctl(PR_SET_DUMPABLE, 0);  // a runner of the same user must not attach to it
  return sim::link::run_near_end(fds, start, far);
}

}  // namespace

int main(int count, char** words) {
  const std::string_view which = count > 1 ? words[1] : "";
  try {
    if (which == "near") return near_end({words + 2, words + count});
    if (which == "far")
      return sim::link::run_far_end(STDIN_FILENO, STDOUT_FILENO,
                                    fs::read_symlink("/proc/self/exe").parent_path());
    if (which == "check") {
      std::puts("ready");
      return 0;
    }
    throw std::runtime_error("it is started by the grader, not by hand");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gridstride-link: %s\n", error.what());
    return 1;
  }
}
