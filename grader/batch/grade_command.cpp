// lab class grade: take in, build what the course needs, have workers grade.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/cores.h"
#include "common/host_memory.h"
#include "common/simulator/link/host.h"
#include "common/terminal.h"
#include "common/text.h"
#include "grader/batch/commands.h"
#include "grader/batch/course_version.h"
#include "grader/batch/local_executor.h"
#include "grader/batch/slurm_executor.h"
#include "grader/batch/summary.h"
#include "grader/batch/worker.h"
#include "grader/cli/build.h"
#include "grader/cli/command.h"
#include "grader/cli/gpu.h"
#include "grader/cli/toolkit.h"
#include "grader/course/course.h"
#include "grader/gradebook/gradebook.h"
#include "grader/report/results.h"
#include "grader/sandbox/sandbox.h"
#include "grader/submissions/intake.h"
#include "grader/submissions/platforms.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

using cli::UsageError;

/// While one is on the GPU the other compiles: a student's stages take about as long to compile on two
/// cores or more as they are on the GPU.
constexpr int workers_of_a_gpu = 2;

/// Tasks of an array where nobody says how many.
constexpr int slurm_workers = 16;

void need_sandbox() {
  const SandboxStatus& status = sandbox_status();
  if (!status.available)
    throw std::runtime_error("A class is graded in a sandbox or not at all, and there is none: " +
                             status.reason + ". Repair: " + status.repair);
}

std::vector<LabConfig> all_labs(const cli::Places& places) {
  std::vector<LabConfig> labs;
  for (const std::string& name : lab_names(places.build()))
    labs.push_back(load_lab_config(places.tree() / "labs" / name));
  return labs;
}

std::vector<std::string> labs_asked_for(const ClassGradeOptions& options,
                                        const cli::Places& places) {
  std::vector<std::string> names;
  if (options.labs.empty()) return names;
  for (const Selection& selection :
       select(options.labs, lab_names(places.build()), places.tree())) {
    if (!selection.stages.empty())
      throw UsageError("--lab names a whole lab: a student's task is a lab, not one stage of it.");
    names.push_back(selection.lab.name);
  }
  return names;
}

/// "gpu" or "sim" of another host, which workers have to reach without a question.
std::string device_elsewhere(const std::string& device, bool no_build, const cli::Places& places) {
  const std::string name = sim::link::host_in(device), wanted = sim::link::kind_in(device);
  if (!no_build)
    cli::build(places.build(), "what reaches " + name,
               {"gridstride-link", "gridstride-device", "gridstride-gpu-device"});
  const sim::link::LinkHost host(name, places.build() / "bin", sim::link::Asking::never);
  if (wanted == "sim") return wanted;
  const std::string why_not = host.why_no_gpu();
  if (wanted == "gpu" && !why_not.empty())
    throw std::runtime_error("No GPU of " + name + " answers: " + clean_text(why_not) + ".");
  return why_not.empty() ? "gpu" : "sim";
}

/// One gradebook, one device: points of a GPU and of the simulated one are not the same.
/// A machine that only submits need not have the GPU.
void settle_device(Gradebook& book, const ClassGradeOptions& options, const cli::Places& places) {
  const bool is_here = options.executor == "local";
  const std::string before = book.setting("device");
  std::string device = options.device;
  if (!sim::link::host_in(device).empty())
    device = device_elsewhere(device, options.no_build, places);
  else if (device == "auto")
    device = !before.empty() ? before : is_here && cli::find_gpu().available ? "gpu" : "sim";
  else if (device == "gpu" && is_here && !cli::find_gpu().available)
    throw std::runtime_error("There is no GPU to grade on: " + cli::find_gpu().reason + ".");
  if (!before.empty() && before != device)
    throw UsageError("These results were graded with --device " + before +
                     ". Grade with --device " + device + " into another folder.");
  book.set("device", device);
}

ClassIntake submissions_of(const ClassGradeOptions& options, const std::vector<LabConfig>& labs,
                           const std::vector<std::string>& asked) {
  IntakeOptions intake;
  intake.labs = labs;
  intake.asked = asked;
  if (!options.due.empty()) {
    intake.due = time_in(options.due);
    if (!intake.due)
      throw UsageError("--due: '" + escaped(options.due) +
                       "' is no time. It looks like 2026-11-25T18:00+01:00; without a zone it is "
                       "this machine's.");
  }
  StatusLine status(stderr);
  intake.on_student = [&status](const std::string& name) { status.show("Looking at " + name); };
  return take_in_class(options.submissions, intake);
}

void build_graders(const std::vector<std::string>& labs, const std::string& device,
                   const cli::Places& places) {
  if (cli::find_nvcc().empty())
    throw std::runtime_error("There is no nvcc to compile with. `./lab doctor` says more.");
  std::vector<std::string> programs, baselines;
  for (const std::string& lab : labs) {
    programs.push_back("grader-" + lab);
    baselines.push_back("stages/labs/" + lab + "/0_baseline.so");
  }
  if (device == "gpu") programs.emplace_back("gridstride-gpu-device");
  cli::build(places.build(), "the graders", programs, baselines);
}

std::map<std::string, std::string> versions_of(const std::vector<std::string>& labs,
                                               const cli::Places& places) {
  std::map<std::string, std::string> versions;
  for (const std::string& lab : labs)
    versions[lab] = course_version(lab, places.tree(), places.build(), cli::find_nvcc());
  return versions;
}

/// Cores of each worker: each may hold a compiler, as far as the memory goes.
int jobs_for(int workers) {
  constexpr std::uint64_t compiler_bytes = std::uint64_t{3} << 30;
  const std::uint64_t memory = host_memory();
  const auto fit = static_cast<int>(std::min<std::uint64_t>(memory / compiler_bytes, 1024));
  const int compilers = memory == 0 ? available_cores() : std::min(available_cores(), fit);
  return std::max(1, compilers / workers);
}

int workers_for(const ClassGradeOptions& options, const std::string& device, std::int64_t tasks) {
  const bool is_here = sim::link::host_in(options.device).empty();
  const int gpus = is_here ? std::max(1, cli::find_gpu().count) : 1;  // the first of another host
  const int most = device == "gpu" ? gpus : available_cores();
  if (options.workers.value_or(1) > most)
    throw UsageError("--workers " + std::to_string(*options.workers) + ": " +
                     (device == "gpu"
                          ? "there are " + std::to_string(most) +
                                " GPUs, and two students on one would spoil each other's times."
                          : "there are " + std::to_string(most) +
                                " cores, and more workers would only wait for each other."));
  return static_cast<int>(std::clamp<std::int64_t>(tasks, 1, options.workers.value_or(most)));
}

}  // namespace

int class_grade(const ClassGradeOptions& options) {
  const cli::Places places;
  if (!options.sbatch.empty() && options.executor != "slurm")
    throw UsageError("--sbatch is for --executor slurm.");
  const std::string host = sim::link::host_in(options.device);
  if (!host.empty() && options.executor == "slurm")
    throw UsageError(
        "--device ssh:HOST is for workers on this machine; Slurm's nodes have their own.");
  need_sandbox();
  const std::vector<std::string> asked = labs_asked_for(options, places);
  const std::vector<LabConfig> labs = all_labs(places);
  const auto begun = std::chrono::steady_clock::now();
  const ClassIntake intake = submissions_of(options, labs, asked);
  Gradebook book(options.results, /*create=*/true);
  settle_device(book, options, places);
  bury_workers(book);
  const TakenIn taken = book.take_in(intake.submissions, asked);
  print_intake(intake, taken);
  const std::vector<std::string> graded = book.labs();
  if (graded.empty())
    throw std::runtime_error(
        "Nobody has handed in a stage's file, so it is not known which lab is meant. `--lab LAB` "
        "says it.");
  for (const std::string& what : options.again) book.again(what);
  const std::string device = book.setting("device");
  if (!options.no_build) build_graders(graded, device, places);
  const auto versions = versions_of(graded, places);
  book.again_undecided();
  if (options.outdated) book.again_outdated(versions);
  const ClassProgress before = book.progress();
  const std::int64_t open = before.total() - before.done;
  if (open > 0 && options.executor == "slurm") {
    const auto workers = std::clamp<std::int64_t>(open, 1, options.workers.value_or(slurm_workers));
    run_slurm_workers(
        book, {options.results, static_cast<int>(workers), device == "gpu", options.sbatch});
  } else if (open > 0) {
    LocalOptions local;
    local.results = options.results;
    local.host = host;
    local.workers = workers_for(options, device, open);
    if (device == "gpu") {
      local.gpus = local.workers;
      local.workers = static_cast<int>(
          std::clamp<std::int64_t>(open, local.gpus, workers_of_a_gpu * local.gpus));
    }
    local.jobs = jobs_for(local.workers);
    run_local_workers(book, local);
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return print_summary(book, options.results, before.done, versions, seconds);
}

}  // namespace gridstride
