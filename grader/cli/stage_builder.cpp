// The course's own commands, from this process: nothing has to be configured, so a moved folder works.
#include "grader/cli/stage_builder.h"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "common/cores.h"
#include "common/file_lock.h"
#include "common/files.h"
#include "common/subprocess.h"
#include "common/terminal.h"
#include "common/unique_fd.h"
#include "grader/cli/gpu.h"
#include "grader/cli/toolkit.h"
#include "grader/compile/intake.h"
#include "grader/compile/stage_build.h"
#include "grader/compile/stage_files.h"
#include "grader/compile/toolchain.h"
#include "grader/course/lab_config.h"
#include "grader/handout/editor.h"
#include "grader/sandbox/stop_children.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

/// Two at a time in one folder would spoil each other's work. Held until it is closed.
UniqueFd lock(const fs::path& file, const std::function<void()>& on_wait = {}) {
  try {
    return lock_file(file, on_wait);
  } catch (const std::system_error& error) {
    throw std::runtime_error(
        "cannot write to " + file.parent_path().string() + ": " + error.code().message() +
        ". Copy the course to a folder of your own; where its stages are built "
        "already, --no-build uses that.");
  }
}

/// A file that a limit of the shell's keeps from growing is an error to tell of, not our end.
class IgnoredFileLimit {
 public:
  IgnoredFileLimit() : before_(::signal(SIGXFSZ, SIG_IGN)) {}
  ~IgnoredFileLimit() { ::signal(SIGXFSZ, before_); }
  IgnoredFileLimit(const IgnoredFileLimit&) = delete;
  IgnoredFileLimit& operator=(const IgnoredFileLimit&) = delete;

 private:
  void (*before_)(int);
};

/// `library` is <stage>.so in a folder of the lab's name.
StageToBuild stage_of(const fs::path& tree, const fs::path& build, const fs::path& library) {
  StageToBuild stage;
  stage.tree = tree;
  stage.lab = library.parent_path().filename().string();
  const LabConfig config = load_lab_config(tree / "labs" / stage.lab);
  stage.headers = config.headers;
  stage.relocatable = config.relocatable_code;
  if (const StageConfig* named = config.stage(library.stem().string()))
    stage.compute_capability = named->compute_capability;
  stage.contract = contract_of(stage.lab, build);
  stage.copies = build / "stages";
  stage.library = library;
  stage.source = library.stem() == "0_baseline" ? tree / "labs" / stage.lab / "0_baseline.cu"
                                                : fs::path(library).replace_extension(".cu");
  return stage;
}

/// What run_guarded() could not say, because it was not reached or could not write.
void tell_failure(const fs::path& library, const std::string& words) {
  std::error_code missing;
  if (fs::exists(infrastructure_of(library), missing)) return;
  fs::remove(library, missing);
  fs::remove(log_of(library), missing);
  try {
    write_file(infrastructure_of(library), "The stage could not be built. " + words);
  } catch (const std::exception& error) {
    throw std::runtime_error(words + "\nNor can this be written beside it: " + error.what());
  }
}

/// Builds them, some at a time, and says how far it is.
class Work {
 public:
  Work(const std::vector<StageToBuild>& stages, const Toolchain& toolchain)
      : stages_(stages), toolchain_(toolchain) {}

  void run() {
    const std::size_t cores = static_cast<std::size_t>(available_cores());
    show();
    const StopChildrenOnSignal stop;
    stop_ = &stop;
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < std::min(cores, stages_.size()); ++i)
      others.emplace_back([this] { build_some(); });
    build_some();
    for (std::thread& other : others) other.join();
    if (stop.caught() != 0) throw Interrupted(stop.caught());
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void build_some() {
    for (std::size_t i = next_++; i < stages_.size() && stop_->caught() == 0; i = next_++) {
      try {
        build_one(stages_[i]);
      } catch (...) {
        const std::lock_guard<std::mutex> guard(mutex_);
        failure_ = std::current_exception();
      }
      const std::lock_guard<std::mutex> guard(mutex_);
      ++done_;
      show();
    }
  }
  void build_one(const StageToBuild& stage) {
    try {
      build_stage(stage, toolchain_);
    } catch (const std::exception& error) {
      if (stop_->caught() == 0) tell_failure(stage.library, error.what());
    }
  }
  void show() {
    status_.show("Building [" + std::to_string(done_) + "/" + std::to_string(stages_.size()) + "]");
  }

  const std::vector<StageToBuild>& stages_;
  const Toolchain& toolchain_;
  const StopChildrenOnSignal* stop_ = nullptr;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::exception_ptr failure_;
  StatusLine status_{stderr};
};

fs::path needed_nvcc() {
  fs::path nvcc = find_nvcc();
  if (nvcc.empty())
    throw std::runtime_error("There is no nvcc to compile with. `./lab doctor` says more.");
  return nvcc;
}

void build_open(const std::vector<StageToBuild>& open, const std::string& what,
                const fs::path& nvcc) {
  if (!is_terminal(stderr)) std::fprintf(stderr, "Building %s …\n", what.c_str());
  const Toolchain toolchain = find_toolchain(nvcc, open.front().tree / host_compiler_script);
  const IgnoredFileLimit ignored;
  Work(open, toolchain).run();
}

}  // namespace

bool is_handed_out(const fs::path& build) {
  std::error_code missing;
  return fs::is_directory(build / "contracts", missing);
}

fs::path contract_of(const std::string& lab, const fs::path& build) {
  if (is_handed_out(build)) return build / "contracts" / (lab + ".o");
  return build / "labs/CMakeFiles" / ("contract-" + lab + ".dir") / lab / "contract.cpp.o";
}

void build_stages(const fs::path& tree, const fs::path& build, const std::string& what,
                  const std::vector<std::string>& stages, const fs::path& handed_in, int gpu) {
  if (stages.empty()) return;
  const UniqueFd held = lock(build / "lock");
  const fs::path nvcc = needed_nvcc();
  write_editor_commands(tree, nvcc);
  const std::uint32_t machine_code = machine_code_for(gpu != 0 ? gpu : find_gpu().capability, nvcc);
  std::vector<StageToBuild> open;
  for (const std::string& name : stages) {
    StageToBuild stage = stage_of(tree, build, build / name);
    stage.machine_code = machine_code;
    fs::create_directories(stage.library.parent_path());
    if (stage.library.stem() != "0_baseline")
      take_in(handed_in, stage.library.parent_path(), {stage.library.stem().string()});
    if (!is_built(stage, nvcc)) open.push_back(stage);
  }
  if (open.empty()) return;
  build_open(open, what, nvcc);
}

DebugBuild build_to_debug(const fs::path& tree, const fs::path& build, const std::string& kind,
                          const std::string& lab, const std::string& stage,
                          const fs::path& handed_in) {
  const fs::path copies = build / "debug";
  DebugBuild built{copies / kind / lab, {}};
  const fs::path& folder = built.folder;
  std::error_code no_folder;  // the lock says so
  fs::create_directories(folder, no_folder);
  // Of this stage until it is recorded, of what all share while it is built.
  built.held = lock(folder / (stage + ".lock"), [&] {
    std::fprintf(
        stderr, "Another `lab debug` is at work on %s/%s: this one waits until that is recorded.\n",
        lab.c_str(), stage.c_str());
  });
  const UniqueFd held = lock(copies / "lock");
  const bool has_library = fs::exists(folder / (stage + ".so"));
  if (has_library && find_nvcc().empty()) return built;  // of another text the grader takes none
  const fs::path nvcc = needed_nvcc();
  StageToBuild one = stage_of(tree, build, folder / (stage + ".so"));
  one.copies = copies;
  one.debug = true;
  take_in(handed_in, folder, {stage});
  if (!is_built(one, nvcc)) build_open({one}, lab + "/" + stage + " for the debugger", nvcc);
  return built;
}

}  // namespace gridstride::cli
