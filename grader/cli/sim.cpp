// lab sim: runs any program that uses the shared CUDA runtime on the simulated GPU.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "common/files.h"
#include "common/simulator/check/check_options.h"
#include "common/simulator/explain/explained.h"
#include "common/simulator/report/report.h"
#include "common/subprocess.h"
#include "common/terminal.h"
#include "common/text.h"
#include "grader/cli/build.h"
#include "grader/cli/command.h"
#include "grader/cli/elf.h"
#include "grader/cli/output_file.h"
#include "grader/report/results.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* runtime_name = "libcudart.so.13";

fs::path locate(const std::string& program) {
  const fs::path path = find_program(program);
  if (path.empty() || fs::is_directory(path)) {
    const bool here = program.find('/') == std::string::npos && fs::exists(program);
    throw UsageError(here ? "'" + program + "' is not in PATH. Did you mean './" + program + "'?"
                          : "There is no program '" + program + "' that can be run.");
  }
  return path;
}

/// A program that would not meet the simulated GPU is told so, not run as if it had.
void check_linkage(const fs::path& program) {
  const auto libraries = needed_libraries(program);
  if (!libraries) return;  // a script: what it starts may use the runtime
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
  return std::any_of(launches->begin(), launches->end(), [](const nlohmann::json& launch) {
    const auto findings = launch.find("findings");
    return findings != launch.end() && !findings->empty();
  });
}

bool is_page(const std::string& file) { return file.ends_with(".html"); }

/// The program is the user's own, so whatever its debug information names may be shown.
std::map<std::string, std::string> sources_of(const nlohmann::json& report) {
  constexpr std::size_t largest = std::size_t{1} << 20;
  std::map<std::string, std::string> sources;
  for (const nlohmann::json& kernel : report.at("kernels")) {
    for (const nlohmann::json& line : kernel.at("lines")) {
      const std::string file = line.at("file");
      if (sources.contains(file)) continue;
      try {
        if (fs::is_regular_file(file)) sources[file] = read_file(file, largest);
      } catch (const std::exception&) {
        sources[file] = "";  // its lines are shown by number
      }
    }
  }
  return sources;
}

}  // namespace

int sim(const Places& places, const SimOptions& options) {
  check_writable(options.report);
  const fs::path program = locate(options.command.front());
  check_linkage(program);
  if (!options.no_build) build(places.build(), {"cudart_sim"});
  const fs::path libraries = places.build() / "lib/sim";
  if (!fs::exists(libraries / runtime_name))
    throw std::runtime_error((libraries / runtime_name).string() +
                             " has not been built: leave out --no-build.");

  const TemporaryFolder scratch;
  const fs::path report_file = scratch.path() / "report.json";
  const char* path = std::getenv("LD_LIBRARY_PATH");
  Subprocess process;
  process.command = options.command;
  process.environment = {
      {"LD_LIBRARY_PATH",
       libraries.string() + (path != nullptr && *path != '\0' ? ":" + std::string(path) : "")},
      {"GRIDSTRIDE_SIM_REPORT", report_file.string()}};
  if (!options.check.empty()) {
    try {
      sim::checks_named(options.check);
    } catch (const std::invalid_argument& error) {
      throw UsageError("--check: " + std::string(error.what()) + ".");
    }
    process.environment["GRIDSTRIDE_SIM_CHECK"] = options.check;
  }
  if (options.schedule != 0)
    process.environment["GRIDSTRIDE_SIM_SCHEDULE"] = std::to_string(options.schedule);
  std::fflush(stdout);
  const int status = run_process(process).exit_code;
  if (!fs::exists(report_file)) {
    std::fprintf(stderr,
                 "\nlab: %s left no report: it did not use the CUDA runtime, or did not end by "
                 "itself (exit code %d).\n",
                 options.command.front().c_str(), status);
    return status;
  }
  const std::string text = read_file(report_file, std::size_t{1} << 30);
  const auto report = nlohmann::json::parse(text);
  if (options.report.empty() && !options.explain) {
    std::fprintf(stderr, "\n%s", clean_text(sim::summary(report)).c_str());
    return status == 0 && found_mistakes(report) ? int{exit_short} : status;
  }
  sim::Explained explained;
  explained.title = fs::path(options.command.front()).filename().string();
  explained.report = report;
  explained.sources = sources_of(report);
  if (is_page(options.report)) {
    write_file(options.report, sim::to_page({explained}));
  } else if (!options.report.empty()) {
    write_file(options.report, text);
  }
  const TextStyle style = style_of(stderr);
  const std::string words =
      options.explain ? sim::to_text(explained, style) : clean_text(sim::summary(report));
  std::fprintf(stderr, "\n%s", words.c_str());
  return status == 0 && found_mistakes(report) ? int{exit_short} : status;
}

}  // namespace gridstride::cli
