// lab doctor: what this machine has, what it lacks, and the repair.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "common/terminal.h"
#include "common/text.h"
#include "grader/cli/command.h"
#include "grader/cli/gpu.h"
#include "grader/cli/stage_builder.h"
#include "grader/cli/toolkit.h"
#include "grader/report/results.h"
#include "grader/sandbox/control_group.h"
#include "grader/sandbox/landlock.h"
#include "grader/sandbox/sandbox.h"
#include "grader/sandbox/system_calls.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

enum class State {
  good,
  optional,  ///< missing, and grading works without it
  bad,
};

struct Check {
  std::string subject;
  State state = State::good;
  std::string found;   ///< what is there, or what is not
  std::string repair;  ///< empty when there is nothing to do
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Check tool(const std::string& subject, const std::string& program) {
  const fs::path path = find_program(program);
  if (path.empty())
    return {subject, State::bad, program + " was not found", "install it: see Packages below"};
  return {subject, State::good, first_line(output_of({path.string(), "--version"})), ""};
}

Check toolkit() {
  const fs::path nvcc = find_nvcc();
  if (nvcc.empty())
    return {"CUDA toolkit", State::bad, "nvcc was not found in PATH or /usr/local/cuda/bin",
            "install it: https://developer.nvidia.com/cuda-downloads"};
  const std::string version = output_of({nvcc.string(), "--version"});
  const std::size_t at = version.find("release ");
  return {"CUDA toolkit", State::good,
          (at == std::string::npos ? std::string("nvcc")
                                   : version.substr(at + 8, version.find(',', at) - at - 8)) +
              " in " + nvcc.parent_path().parent_path().string(),
          ""};
}

/// What ./lab itself asks before it builds.
Check packages(const fs::path& tree, bool handed_out) {
  std::vector<std::string> command = {(tree / "common/tools/packages.sh").string()};
  if (handed_out) command.emplace_back("--compiler");
  const fs::path nvcc = find_nvcc();
  if (!nvcc.empty()) command.push_back(nvcc.string());
  std::istringstream lines(output_of(command));
  std::string missing, repair;
  if (!std::getline(lines, missing))
    return {"Packages", State::bad, command[0] + " cannot be run", "get the course anew"};
  std::getline(lines, repair);
  if (missing.empty()) return {"Packages", State::good, "all there", ""};
  if (repair.empty()) repair = "install them with this system's package manager";
  return {"Packages", State::bad, "missing: " + missing, repair};
}

Check sandbox() {
  const SandboxStatus& status = sandbox_status();
  if (status.available) return {"Sandbox", State::good, "bubblewrap works", ""};
  return {"Sandbox", State::optional,
          status.reason + ": what is graded can do what you can do, so grade only your own code",
          status.repair};
}

// What holds student code to its limits, and how: each works without the others.

Check control_groups() {
  const ControlGroupStatus& status = control_group_status();
  if (status.available())
    return {"Memory", State::good, "cgroup v2, below " + status.parent.string(), ""};
  return {"Memory", State::optional,
          "counted every few milliseconds, of all kinds and of all processes, for " + status.reason,
          status.repair};
}

Check system_calls() {
  const std::string& reason = why_no_system_call_filter();
  if (reason.empty()) return {"System calls", State::good, "filtered by seccomp", ""};
  return {"System calls", State::optional,
          "not filtered, for " + reason + ": memory that belongs to no process is not seen",
          "install libseccomp's headers (see Packages above) and build again"};
}

Check files() {
  if (sandbox_status().available)
    return {"Files", State::good, "none but in a /tmp of its own, whose size is limited", ""};
  if (has_landlock())
    return {"Files", State::good, "none but in a folder of its own, by Landlock", ""};
  return {"Files", State::optional,
          "written wherever you may: this kernel has no Landlock, and there is no bubblewrap",
          "what helps the sandbox helps here; else a kernel from 5.13 on with lsm=landlock,…"};
}

Check processor() {
  const std::string cores = std::to_string(std::thread::hardware_concurrency()) + " cores";
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {"Processor", State::good, cores + ", AVX2", ""};
  return {"Processor", State::bad,
          cores + ", no AVX2: the simulator is built for processors from 2013 on",
          "configure with -DGRIDSTRIDE_SIM_ARCH= (several times slower)"};
#else
  return {"Processor", State::good, cores, ""};
#endif
}

Check driver(const GpuStatus& gpu) {
  if (gpu.driver_version == 0) return {"Driver", State::optional, gpu.reason, gpu.repair};
  return {"Driver", State::good, "runs CUDA up to " + cuda_version(gpu.driver_version), ""};
}

/// A GPU is graded on through a process of its own, which has to find it as well.
Check device(const GpuStatus& gpu, const Places& places) {
  if (!gpu.available) return {"GPU", State::optional, "none: the simulated one grades", ""};
  const fs::path program = places.build() / "bin/gridstride-gpu-device";
  if (!fs::exists(program))
    return {"GPU", State::good, gpu.name + "; what drives it is built by the next ./lab grade", ""};
  std::string words;
  Subprocess why_not;
  why_not.command = {program.string(), "--why-not"};
  why_not.merge_errors = true;
  why_not.on_line = [&words](std::string_view line) {
    if (words.empty()) words = line;
  };
  if (run_process(why_not).succeeded()) return {"GPU", State::good, gpu.name, ""};
  return {"GPU", State::bad, gpu.name + " cannot be used for grading: " + words,
          "mend that, or grade with --device sim"};
}

Check simulator(const Places& places) {
  for (const char* file : {"lib/sim/libcudart.so.13", "bin/gridstride-device"}) {
    if (!fs::exists(places.build() / file))
      return {"Simulated GPU", State::optional, std::string(file) + " is not built yet",
              "nothing to do: the next ./lab grade builds it"};
  }
  return {"Simulated GPU", State::good, "built", ""};
}

Check disk(const Places& places) {
  constexpr std::uintmax_t wanted = 512u << 20;  // bytes: a build folder and room for results
  std::error_code error;
  const fs::space_info space = fs::space(places.build(), error);
  if (error || space.available < wanted)
    return {"Disk", State::bad,
            error ? error.message()
                  : plain_number(double(space.available) / (1 << 20), 0) +
                        " MiB free where the build folder is",
            "make room: a build takes about 500 MiB"};
  if (::access(places.build().c_str(), W_OK) != 0)
    return {"Disk", State::optional, places.build().string() + " cannot be written to",
            "grade with --no-build, or copy the tree to a place of yours"};
  return {"Disk", State::good, plain_number(double(space.available) / (1 << 30), 1) + " GiB free",
          ""};
}

void print(const Check& check, const TextStyle& style) {
  const char* word = check.state == State::good ? "ok" : check.state == State::bad ? "bad" : "--";
  const std::string mark = check.state == State::good  ? style.green(word)
                           : check.state == State::bad ? style.red(word)
                                                       : style.yellow(word);
  const std::string blanks(4 - std::string(word).size(), ' ');
  constexpr std::size_t indent = 22;
  const std::size_t width = style.width > indent + 30 ? style.width - indent : 30;
  std::string subject = check.subject;
  subject.resize(indent - 6, ' ');
  bool first = true;
  for (const std::string& line : wrap(clean_text(check.found), width)) {
    if (first) {
      std::printf("  %s%s%s%s\n", mark.c_str(), blanks.c_str(), subject.c_str(), line.c_str());
    } else {
      std::printf("%s%s\n", std::string(indent, ' ').c_str(), line.c_str());
    }
    first = false;
  }
  if (!check.repair.empty())
    std::printf("%s%s\n", std::string(indent, ' ').c_str(),
                style.bold("-> " + clean_text(check.repair)).c_str());
}

}  // namespace

int doctor(const Places& places) {
  const fs::path tree = places.tree();
  const GpuStatus gpu = find_gpu();
  const bool handed_out = is_handed_out(places.build());
  std::vector<Check> checks = {tool("C++ compiler", "c++")};
  if (!handed_out) {
    checks.push_back(tool("CMake", "cmake"));
    checks.push_back(tool("Ninja", "ninja"));
  }
  for (const Check& check :
       {toolkit(), packages(tree, handed_out), sandbox(), control_groups(), system_calls(), files(),
        processor(), disk(places), simulator(places), driver(gpu), device(gpu, places)})
    checks.push_back(check);
  const TextStyle style = style_of(stdout);
  bool usable = true;
  for (const Check& check : checks) {
    print(check, style);
    usable = usable && check.state != State::bad;
  }
  std::printf("\n%s\n", usable ? gpu.available ? "Ready to grade, on the GPU and on the simulator."
                                               : "Ready to grade, on the simulator."
                               : "Not ready yet: mend what is marked bad.");
  return usable ? exit_pass : exit_infrastructure;
}

}  // namespace gridstride::cli
