// Environment, report file and linkage of a program that meets the simulated GPU.
#include "grader/tools/simulate.h"

#include <fmt/core.h>
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/simulator/check/check_options.h"
#include "common/subprocess.h"
#include "grader/cli/build.h"
#include "grader/cli/gpu_libraries.h"
#include "grader/cli/output_file.h"
#include "grader/cli/profile_option.h"
#include "grader/cli/toolkit.h"
#include "grader/report/results.h"
#include "grader/tools/elf.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* runtime_name = "libcudart.so.13";

/// Whoever writes `lab sim a.cu b.cu` wants both compiled.
std::string about_other_sources(const std::vector<std::string>& command) {
  const auto other = std::find_if(command.begin() + 1, command.end(), [](const std::string& word) {
    return is_source(word) && fs::exists(word);
  });
  return other == command.end()
             ? ""
             : " " + *other +
                   " is an argument of the program, and is not compiled with it: "
                   "several files are compiled by yourself.";
}

bool is_source_of_another_kind(const fs::path& file) {
  const std::string ending = file.extension().string();
  return ending == ".CU" || ending == ".cpp" || ending == ".cc" || ending == ".cxx" ||
         ending == ".c";
}

fs::path locate(const std::string& program) {
  const fs::path path = find_program(program);
  if (path.empty() || fs::is_directory(path)) {
    if (is_source_of_another_kind(program) && fs::exists(program))
      throw UsageError(
          program +
          " is not compiled here: that is done with FILE.cu. Give it such a name, or compile it "
          "yourself and run `lab sim -- ./PROGRAM`.");
    const bool here = program.find('/') == std::string::npos && fs::exists(program);
    throw UsageError(here ? "'" + program + "' is not in PATH. Did you mean './" + program + "'?"
                          : "There is no program '" + program + "' that can be run.");
  }
  return path;
}

/// A program that would not meet the simulated GPU is told so, not run as if it had. One that meets
/// it with a part of what it does is told of the other.
void check_linkage(const fs::path& program) {
  const auto libraries = needed_libraries(program);
  if (!libraries) return;  // a script: what it starts may use the runtime
  if (const std::string words = about_needed_libraries(*libraries); !words.empty())
    std::fprintf(stderr, "lab: %s\n", words.c_str());
  for (const std::string& library : *libraries) {
    if (library == runtime_name) return;
    if (library.rfind("libcudart.so", 0) == 0)
      throw UsageError(program.string() + " uses " + library +
                       "; the simulated GPU stands in for " + runtime_name +
                       ". Build it with a CUDA 13 toolkit.");
  }
  constexpr std::size_t largest = std::size_t{1} << 30;
  if (read_file(fs::canonical(program), largest).find("__cudaRegisterFatBinary") !=
      std::string::npos)
    throw UsageError(program.string() +
                     " contains a CUDA runtime of its own, which is nvcc's default. Build it with "
                     "'nvcc -cudart shared'.");
}

bool found_mistakes(const nlohmann::json& report) {
  const auto launches = report.find("launches");
  if (launches == report.end()) return false;
  return !report.at("findings").empty() ||
         std::any_of(launches->begin(), launches->end(), [](const nlohmann::json& launch) {
           const auto findings = launch.find("findings");
           return findings != launch.end() && !findings->empty();
         });
}

bool is_page(const std::string& file) { return file.ends_with(".html"); }

std::vector<std::string> named_files(const nlohmann::json& report) {
  std::vector<std::string> files;
  for (const nlohmann::json& kernel : report.at("kernels")) {
    for (const nlohmann::json& line : kernel.at("lines")) files.push_back(line.at("file"));
  }
  return files;
}

/// What the simulated runtime is told through the environment.
std::map<std::string, std::string> environment_of(const SimOptions& options,
                                                  const fs::path& libraries,
                                                  const fs::path& report) {
  const char* path = std::getenv("LD_LIBRARY_PATH");
  std::map<std::string, std::string> environment = {
      {"LD_LIBRARY_PATH",
       libraries.string() + (path != nullptr && *path != '\0' ? ":" + std::string(path) : "")},
      {"GRIDSTRIDE_SIM_REPORT", report.string()}};
  if (!options.profile.empty()) environment["GRIDSTRIDE_SIM_PROFILE"] = options.profile;
  if (!options.trace.empty()) environment["GRIDSTRIDE_SIM_TRACE"] = options.trace;
  if (!options.check.empty()) {
    try {
      sim::checks_named(options.check);
    } catch (const std::invalid_argument& error) {
      throw UsageError("--check: " + std::string(error.what()) + ".");
    }
    environment["GRIDSTRIDE_SIM_CHECK"] = options.check;
  }
  if (options.schedule != 0)
    environment["GRIDSTRIDE_SIM_SCHEDULE"] = std::to_string(options.schedule);
  if (options.time_limit)
    environment["GRIDSTRIDE_SIM_TIME_LIMIT"] = fmt::format("{}", *options.time_limit);
  if (options.memory != 0) environment["GRIDSTRIDE_SIM_MEMORY"] = std::to_string(options.memory);
  return environment;
}

fs::path built_runtime(const Places& places, bool no_build) {
  if (!no_build) build(places.build(), "the simulated GPU", {"cudart_sim"});
  const fs::path libraries = places.build() / "lib/sim";
  if (!fs::exists(libraries / runtime_name))
    throw std::runtime_error((libraries / runtime_name).string() +
                             " has not been built: leave out --no-build.");
  return libraries;
}

}  // namespace

/// The program is the user's own, so whatever its debug information names may be shown.
std::map<std::string, std::string> program_sources(const std::vector<std::string>& files) {
  constexpr std::size_t largest = std::size_t{1} << 20;
  std::map<std::string, std::string> sources;
  for (const std::string& file : files) {
    if (sources.contains(file)) continue;
    try {
      if (fs::is_regular_file(file)) sources[file] = read_file(file, largest);
    } catch (const std::exception&) {
      sources[file] = "";  // its lines are shown by number
    }
  }
  return sources;
}

std::string about_no_report(const std::string& program, int exit_code) {
  constexpr int signals = 128;  // as shells say it
  const int signal = exit_code - signals;
  if (signal <= 0 || signal >= NSIG)
    return fmt::format(
        "{} ended with exit code {} and left no report: it did not use the CUDA runtime, or was "
        "left by _exit().",
        program, exit_code);
  std::string words =
      fmt::format("{} was ended by signal {} ({})", program, signal, ::strsignal(signal));
  if (signal == SIGSEGV || signal == SIGBUS) {
    words +=
        " in its code for the host: an array's end that was passed, a null pointer, or an address "
        "of the device";
  } else if (signal == SIGABRT) {
    words +=
        ": by abort(), an assertion or an exception that nobody caught, in its code for the host";
  }
  return words + ". So it left no report.";
}

Simulated simulate(const Places& places, const SimOptions& options) {
  const int capability = check_profile(options.profile);
  check_writable(options.report);
  const TemporaryFolder scratch;
  Subprocess process;
  process.command = options.command;
  const std::string name = process.command.front();
  if (is_source(name)) {
    try {
      process.command.front() =
          compile(name, places, scratch.path(), capability, options.debug).string();
    } catch (const FallsShort& error) {
      throw FallsShort(error.what() + about_other_sources(options.command));
    }
  } else {
    check_linkage(locate(name));
  }
  const fs::path report_file = scratch.path() / "report.json";
  process.environment =
      environment_of(options, built_runtime(places, options.no_build), report_file);
  std::fflush(stdout);

  Simulated simulated;
  simulated.exit_code = run_process(process).exit_code;
  simulated.has_report = fs::exists(report_file);
  if (!simulated.has_report) return simulated;
  simulated.text = read_file(report_file, std::size_t{1} << 30);
  auto report = nlohmann::json::parse(simulated.text);
  if (simulated.exit_code == 0 && found_mistakes(report)) simulated.exit_code = exit_short;
  simulated.explained.title = fs::path(name).filename().string();
  simulated.explained.sources = program_sources(named_files(report));
  simulated.explained.report = std::move(report);
  if (is_page(options.report)) {
    write_output(options.report, sim::to_page({simulated.explained}));
  } else if (!options.report.empty()) {
    write_output(options.report, simulated.text);
  }
  return simulated;
}

}  // namespace gridstride::cli
