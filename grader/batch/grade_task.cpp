// Lay out what was handed in, build what can be built, ask the judge.
#include "grader/batch/grade_task.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "common/file_lock.h"
#include "common/files.h"
#include "common/simulator/link/host.h"
#include "common/subprocess.h"
#include "common/text.h"
#include "common/unique_fd.h"
#include "grader/batch/course_version.h"
#include "grader/cli/gpu.h"
#include "grader/cli/stage_builder.h"
#include "grader/cli/toolkit.h"
#include "grader/compile/intake.h"
#include "grader/compile/stage_build.h"
#include "grader/compile/stage_files.h"
#include "grader/report/json.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

/// Last words of a judge that ends without results.
constexpr std::size_t lines_kept = 8;

/// A file, or what stands in its place: the judge looks at it itself.
void lay_out(const StageFile& file, const fs::path& folder) {
  const fs::path place = folder / (file.stage + ".cu");
  switch (file.kind) {
    case StageFile::Kind::plain:
      return write_file(place, file.text);
    case StageFile::Kind::link:
      return fs::create_symlink("nowhere", place);
    case StageFile::Kind::folder:
      fs::create_directory(place);
      return;
    case StageFile::Kind::fifo:
      if (::mkfifo(place.c_str(), 0600) != 0)
        throw std::runtime_error("cannot make " + place.string());
      return;
    case StageFile::Kind::too_large:
      write_file(place, "");
      return fs::resize_file(place, largest_stage_bytes + 1);
  }
}

class Desk {
 public:
  Desk(const Task& task, const GradingRoom& room)
      : task_(task),
        room_(room),
        lab_(room.labs.at(task.lab)),
        handed_in_(room.scratch / "handed_in"),
        libraries_(room.scratch / "stages/labs" / task.lab) {
    for (const fs::path& folder : {handed_in_, libraries_}) {
      fs::remove_all(folder);
      fs::create_directories(folder);
    }
    fs::copy_file(room.places.build() / "stages/labs" / task.lab / "0_baseline.so",
                  libraries_ / "0_baseline.so");
  }

  LabResult grade(const std::vector<std::string>& stages) {
    for (const StageFile& file : task_.files) lay_out(file, handed_in_);
    build(stages);
    const UniqueFd alone = room_.gpu_lock.empty() ? UniqueFd() : lock_file(room_.gpu_lock);
    return judge(stages);
  }

 private:
  void build(const std::vector<std::string>& stages) {
    std::atomic<std::size_t> next = 0;
    std::exception_ptr stopped;
    std::mutex mutex;
    const auto build_some = [&] {
      for (std::size_t i = next++; i < stages.size(); i = next++) {
        try {
          build(stages[i]);
        } catch (...) {
          const std::lock_guard<std::mutex> guard(mutex);
          stopped = std::current_exception();
          return;
        }
      }
    };
    {
      std::vector<std::jthread> others;
      for (std::size_t i = 1; i < std::min<std::size_t>(room_.jobs, stages.size()); ++i)
        others.emplace_back(build_some);
      build_some();
    }
    if (stopped) std::rethrow_exception(stopped);
  }

  void build(const std::string& stage) {
    if (!refusal_of(handed_in_ / (stage + ".cu")).empty()) return;  // the judge says so
    take_in(handed_in_, libraries_, {stage});
    StageToBuild build;
    build.tree = room_.places.tree();
    build.lab = task_.lab;
    build.headers = lab_.headers;
    build.relocatable = lab_.relocatable_code;
    build.compute_capability = lab_.stage(stage)->compute_capability;
    build.machine_code = room_.machine_code;
    build.contract = cli::contract_of(task_.lab, room_.places.build());
    build.copies = room_.scratch / "stages";
    build.source = libraries_ / (stage + ".cu");
    build.library = libraries_ / (stage + ".so");
    try {
      build_stage(build, room_.toolchain);
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& error) {
      std::error_code missing;
      if (!fs::exists(infrastructure_of(build.library), missing))
        write_file(infrastructure_of(build.library),
                   "The stage could not be built. " + std::string(error.what()));
    }
  }

  LabResult judge(const std::vector<std::string>& stages) {
    const fs::path json = room_.scratch / "results.json";
    fs::remove(json);
    Subprocess judge;
    // A judge without its worker would go on for nothing.
    if (const fs::path setpriv = find_program("setpriv"); !setpriv.empty())
      judge.command = {setpriv.string(), "--pdeathsig", "KILL", "--"};
    judge.command.insert(judge.command.end(),
                         {room_.places.program("grade-" + task_.lab).string(), "--device",
                          sim::link::device_of(room_.host, room_.device), "--handed-in",
                          handed_in_.string(), "--libraries", libraries_.string(), "--sandbox",
                          "required", "--json", json.string(), "--no-table"});
    if (room_.device == "sim" &&
        room_.host.empty())  // how many another one bears the judge asks it
      judge.command.insert(judge.command.end(), {"--jobs", std::to_string(room_.jobs)});
    judge.command.insert(judge.command.end(), stages.begin(), stages.end());
    judge.environment = {{"TMPDIR", room_.scratch.string()}};
    judge.merge_errors = true;
    std::deque<std::string> words;
    judge.on_line = [&words](std::string_view line) {
      words.emplace_back(shorten(clean_text(line), 200));
      if (words.size() > lines_kept) words.pop_front();
    };
    const SubprocessResult ended = run_process(judge);
    if (!fs::exists(json)) {
      std::string said = "grade-" + task_.lab + " ended before it had results (exit code " +
                         std::to_string(ended.exit_code) + "). Its last words:\n";
      for (const std::string& line : words) said += "  " + line + "\n";
      throw std::runtime_error(said);
    }
    Results results = from_json(read_file(json));
    return results.labs.empty() ? LabResult{} : results.labs.front();
  }

  const Task& task_;
  const GradingRoom& room_;
  const LabConfig& lab_;
  fs::path handed_in_, libraries_;
};

StageResult not_graded(const StageConfig& stage, const std::string& why) {
  StageResult result;
  result.name = stage.name;
  result.verdict = Verdict::infrastructure;
  result.max_score = stage.correctness_points + stage.speed_points;
  result.message = why;
  return result;
}

}  // namespace

GradingRoom grading_room(const std::vector<std::string>& labs, const std::string& device, int jobs,
                         const fs::path& scratch, const fs::path& gpu_lock,
                         const std::string& host) {
  GradingRoom room;
  room.scratch = scratch;
  room.gpu_lock = gpu_lock;
  room.device = device;
  room.host = host;
  room.jobs = jobs;
  const fs::path tree = room.places.tree(), nvcc = cli::find_nvcc();
  if (nvcc.empty())
    throw std::runtime_error("There is no nvcc to compile with. `./lab doctor` says more.");
  room.toolchain = find_toolchain(nvcc, tree / cli::host_compiler_script);
  if (device == "gpu")
    room.machine_code = cli::machine_code_for(
        host.empty() ? cli::find_gpu().capability : cli::gpus_elsewhere, nvcc);
  for (const std::string& lab : labs) {
    room.labs[lab] = load_lab_config(tree / "labs" / lab);
    room.versions[lab] = course_version(lab, tree, room.places.build(), nvcc);
  }
  return room;
}

LabResult grade_task(const Task& task, const GradingRoom& room, Gradebook& book) {
  const LabConfig& lab = room.labs.at(task.lab);
  std::map<std::string, StageResult> results;
  std::vector<std::string> open;
  for (const StageConfig& stage : lab.stages) {
    const auto file = std::ranges::find(task.files, stage.name, &StageFile::stage);
    const std::string text = hash_of(file == task.files.end() ? nullptr : &*file);
    std::optional<StageResult> known;
    if (room.device == "sim" && !task.anew)
      known = book.known(room.versions.at(task.lab), task.lab, stage.name, text);
    if (known)
      results[stage.name] = std::move(*known);
    else
      open.push_back(stage.name);
  }
  if (!open.empty()) {
    try {
      for (StageResult& stage : Desk(task, room).grade(open).stages)
        results[stage.name] = std::move(stage);
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& error) {
      for (const std::string& name : open)
        results[name] = not_graded(*lab.stage(name), error.what());
    }
  }
  Results all;
  LabResult& graded = all.labs.emplace_back();
  graded.name = task.lab;
  for (const StageConfig& stage : lab.stages) {
    const auto found = results.find(stage.name);
    graded.stages.push_back(found == results.end()
                                ? not_graded(stage, "The judge said nothing about it.")
                                : found->second);
  }
  all.total();
  return all.labs.front();
}

}  // namespace gridstride
