// A run of a lab's grader, from the command line to the exit code.
#include "grader/judge/lab.h"

#include <fmt/core.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/cores.h"
#include "common/files.h"
#include "common/simulator/device/control.h"
#include "common/terminal.h"
#include "common/text.h"
#include "grader/course/handout.h"
#include "grader/judge/correctness/google_tests.h"
#include "grader/judge/correctness/look_at_case.h"
#include "grader/judge/correctness/priority_semaphore.h"
#include "grader/judge/options.h"
#include "grader/judge/record.h"
#include "grader/judge/runners/device_choice.h"
#include "grader/judge/runners/grading.h"
#include "grader/judge/runners/sandbox_choice.h"
#include "grader/judge/runners/stage_clock.h"
#include "grader/judge/save_calls.h"
#include "grader/judge/sources/ignored.h"
#include "grader/judge/timing/google_benchmarks.h"
#include "grader/judge/timing/timed_calls.h"
#include "grader/judge/trace_stage.h"
#include "grader/judge/verdict/stage_result.h"
#include "grader/report/json.h"
#include "grader/report/junit.h"
#include "grader/report/table.h"
#include "grader/sandbox/sandbox.h"

namespace gridstride {
namespace {

namespace fs = std::filesystem;

/// The command line asks for what does not exist.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Only a listing was asked for, and has been printed.
struct ListingDone {};

}  // namespace

struct Lab::State {
  std::string name;
  ParsedOptions parsed;
  struct Definition {
    Contract contract;
    std::function<void(SuiteData&)> define;
  };
  std::vector<Definition> definitions;
  Grading grading;
  std::unique_ptr<Background> background;  ///< null: one call at a time
  std::vector<std::unique_ptr<StageState>> stages;
  std::optional<SharedByTimers> shared_by_timers;
  std::map<const StageState*, std::unique_ptr<Timer>> early_timers;
  StatusLine status{stderr};

  const Options& options() const { return parsed.options; }
  void read_configuration();
  void select_stages();
  fs::path source_folder() const;
  std::unique_ptr<StageState> stage_state(const StageConfig& config);
  void grade();
  void find_device();
  void share_cores();
  void guarded(const std::function<void()>& work);
  int explain();
  int trace();
  int save_calls();
  int look_at_case();
  void run_cases();
  /// Of a stage that is right, while others' cases run.
  void begin_timing(const StageState& state);
  std::unique_ptr<Timer> timer_of(const StageState& state);
  void run_timing();
  int rank_of(const StageState& state) const;
  void settle(StageState& state);
  void fail_all(const std::string& message);
  Results results();
  int report();
};

Lab::Lab(std::string name, int argc, char** argv) : state_(std::make_unique<State>()) {
  state_->parsed = parse_options(name, argc, argv);
  state_->name = std::move(name);
}

Lab::~Lab() = default;

void Lab::add_contract(std::string function, std::vector<ArgumentInfo> arguments,
                       std::function<void(SuiteData&)> define) {
  State::Definition definition;
  definition.contract.function = std::move(function);
  definition.contract.arguments = std::move(arguments);
  definition.define = std::move(define);
  state_->definitions.push_back(std::move(definition));
}

int Lab::run() {
  if (state_->parsed.exit_code) return *state_->parsed.exit_code;
#ifndef __SANITIZE_ADDRESS__  // whose search for leaks has to look at us
  // Where there is no sandbox, student code runs as the same user; it must not read our memory.
  ::prctl(PR_SET_DUMPABLE, 0);
#endif
  try {
    state_->read_configuration();
    state_->select_stages();
    if (!state_->options().explain.empty()) return state_->explain();
    if (!state_->options().trace.empty()) return state_->trace();
    if (!state_->options().one_case.empty()) return state_->look_at_case();
    if (!state_->options().save_calls.empty()) return state_->save_calls();
    state_->grade();
    return state_->report();
  } catch (const ListingDone&) {
    return exit_pass;
  } catch (const NoSuchCase& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return exit_usage;
  } catch (const UsageError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return exit_usage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "Could not grade %s: %s\n", state_->name.c_str(), error.what());
    return exit_infrastructure;
  }
}

void Lab::State::read_configuration() {
  grading.installation = Installation::find();
  grading.installation.sandbox = options().sandbox;
  grading.installation.profile = options().profile;
  if (!options().libraries.empty()) grading.installation.stages = fs::absolute(options().libraries);
  grading.seed = options().seed;
  grading.measures_only = options().measure_only;
  if (!options().handed_in.empty()) grading.handed_in = fs::absolute(options().handed_in);
  const fs::path folder = options().folder.empty() ? grading.installation.tree / "labs" / name
                                                   : fs::absolute(options().folder);
  grading.lab = load_lab_config(folder);
  for (Definition& definition : definitions) {
    SuiteData& suite = definition.contract.suite;
    suite.function = definition.contract.function;
    suite.tolerance = grading.lab.tolerance;
    definition.define(suite);
  }
}

void Lab::State::select_stages() {
  std::vector<std::string> known;
  for (const StageConfig& config : grading.lab.stages) known.push_back(config.name);
  const auto check = [&](const std::string& wanted) {
    if (grading.lab.stage(wanted) != nullptr) return;
    const std::string nearest = nearest_name(wanted, known);
    throw UsageError(
        "The lab " + name + " has no stage '" + wanted + "'" +
        (nearest.empty() ? "; it has " + listed(known) : "; did you mean '" + nearest + "'?"));
  };
  std::ranges::for_each(options().stages, check);
  for (const auto& [stage, file] : options().library) check(stage);
  for (const auto& [stage, file] : options().source) check(stage);
  for (const StageConfig& config : grading.lab.stages) {
    const auto& wanted = options().stages;
    if (wanted.empty() || std::ranges::find(wanted, config.name) != wanted.end())
      stages.push_back(stage_state(config));
  }
}

std::unique_ptr<StageState> Lab::State::stage_state(const StageConfig& config) {
  auto state = std::make_unique<StageState>();
  state->result.name = config.name;
  state->result.max_score = config.correctness_points + config.speed_points;
  const auto definition = std::ranges::find_if(
      definitions, [&](const Definition& one) { return one.contract.function == config.function; });
  if (definition == definitions.end())
    throw std::runtime_error("lab.toml names the function " + config.function + "() for stage " +
                             config.name + ", but grader.cpp has no cases for it.");
  StageTask& task = state->task;
  task.config = &config;
  task.contract = &definition->contract;
  const fs::path& built = grading.installation.stages;
  const char* kind = options().solutions ? "solutions" : "labs";
  const auto file = [&](const auto& chosen, const fs::path& otherwise) {
    const auto found = chosen.find(config.name);
    return found == chosen.end() ? otherwise : found->second;
  };
  const bool apart = !options().libraries.empty();
  task.library =
      file(options().library, (apart ? built : built / kind / name) / (config.name + ".so"));
  task.source = file(options().source, source_folder() / (config.name + ".cu"));
  task.baseline = (apart ? built : built / "labs" / name) / "0_baseline.so";
  return state;
}

fs::path Lab::State::source_folder() const {
  if (!grading.handed_in.empty()) return grading.handed_in;
  if (!options().folder.empty()) return fs::absolute(options().folder);
  return grading.installation.tree / (options().solutions ? "solutions" : "labs") / name;
}

void Lab::State::fail_all(const std::string& message) {
  for (auto& state : stages) {
    if (state->decided) continue;
    state->result.verdict = Verdict::infrastructure;
    state->result.message = message;
    state->decided = true;
  }
}

/// Said once for each stage, in a log; a terminal shows the table at the end.
void Lab::State::settle(StageState& state) {
  if (state.correctness) state.correctness->release();
  status.clear();
  if (is_terminal(stderr)) return;
  const StageResult& result = state.result;
  std::string line = name + "/" + result.name + ": " + name_of(result.verdict) + ", " +
                     plain_number(result.score) + " of " + plain_number(result.max_score) +
                     " points";
  if (result.speedup) line += ", speedup " + plain_number(result.speedup->value);
  std::fprintf(stderr, "%s\n", line.c_str());
}

/// What keeps everything from being graded becomes each stage's verdict.
void Lab::State::guarded(const std::function<void()>& work) {
  try {
    work();
  } catch (const CannotGrade& error) {
    fail_all(error.what());
  } catch (const SandboxError& error) {
    fail_all(std::string(error.what()));
  } catch (const sim::DeviceProcessError& error) {
    fail_all(std::string("The simulated GPU does not start: ") + error.what());
  }
}

void Lab::State::find_device() {
  status.show("Looking for a device …");
  choose_device(grading, options().device);
  status.clear();
  choose_required_speedups(grading, stages);
  if (options().device == "auto" || grading.installation.host || options().verbose > 0)
    std::fprintf(stderr, "%s is graded on %s (%s).\n", name.c_str(), grading.device.name.c_str(),
                 kind_of_device(grading).c_str());
  choose_sandbox(options().sandbox);
}

/// How much is done at once. Times taken on a real device are worth something only while nothing
/// else runs there.
void Lab::State::share_cores() {
  const int cores = available_cores();
  int jobs = options().jobs.value_or(calls_at_once(grading));
  if (grading.gpu) {
    if (options().jobs.value_or(1) > 1)
      std::fprintf(stderr,
                   "--jobs %d is for the simulated GPU: on a real one %s is graded one call at a "
                   "time, for others would disturb its times.\n",
                   jobs, name.c_str());
    jobs = 1;
  }
  grading.sharing = std::max(1.0, static_cast<double>(jobs) / cores);
  for (auto& state : stages)
    state->task.clock = std::make_shared<StageClock>(
        StageClock::Seconds(grading.lab.stage_seconds * grading.patience()));
  if (jobs > 1) background = std::make_unique<Background>(jobs);
  shared_by_timers.emplace(grading, background.get());
}

void Lab::State::grade() {
  guarded([this] {
    find_device();
    share_cores();
    if (grading.gpu) keep_freed_memory();
    for (auto& state : stages) {
      decide_by_files(grading, *state);
      if (state->decided) settle(*state);
    }
    run_cases();
    run_timing();
  });
  if (background)
    background->cancel();  // after an error, or a filter, not all that was begun is needed
}

int Lab::State::explain() {
  parsed.options.device = sim::link::simulated(options().device);
  nlohmann::json recorded = nlohmann::json::array();
  guarded([&] {
    find_device();
    for (auto& state : stages) {
      decide_by_files(grading, *state);
      status.show(name + "/" + state->result.name + ": one call on the simulated GPU …");
      recorded.push_back(record_stage(grading, *state));
    }
  });
  status.clear();
  // After what stopped it, the rest is said of every stage.
  for (std::size_t i = recorded.size(); i < stages.size(); ++i) {
    recorded.push_back(record_stage(grading, *stages[i]));
  }
  write_file(options().explain,
             recorded.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  return exit_pass;
}

int Lab::State::trace() {
  if (stages.size() != 1) throw UsageError("--trace records one stage: name it.");
  parsed.options.device = "sim";
  StageState& state = *stages.front();
  guarded([&] {
    find_device();
    decide_by_files(grading, state);
    status.show(name + "/" + state.result.name + ": recording …");
    write_trace(grading, state, options());
  });
  status.clear();
  if (state.decided) write_trace(grading, state, options());  // says what stopped it
  return exit_pass;
}

int Lab::State::save_calls() {
  std::set<std::string> saved;
  for (const auto& state : stages) {
    const Contract& contract = *state->task.contract;
    if (options().redraw) {
      const CallOnGpu call{options().seed.value(), *options().redraw};
      save_redrawn_call(grading, state->task, call, options().save_calls);
    } else if (saved.insert(contract.function).second) {
      save_timed_call(grading, contract, options().size, options().save_calls);
    }
  }
  return exit_pass;
}

int Lab::State::look_at_case() {
  if (stages.size() != 1) throw UsageError("--case shows one case of one stage: name the stage.");
  StageState& state = *stages.front();
  std::optional<CaseLook> look;
  guarded([&] {
    find_device();
    decide_by_files(grading, state);
    if (!state.decided) look = gridstride::look_at_case(grading, state.task, options().one_case);
  });
  status.clear();
  const Verdict verdict = look ? look->verdict : state.result.verdict;
  std::printf("%s/%s: %s\n\n", name.c_str(), state.result.name.c_str(), name_of(verdict));
  const std::string& words = look ? look->text : state.result.message;
  for (const std::string& line : wrap(clean_text(words), style_of(stdout).width))
    std::printf("%s\n", line.c_str());
  std::printf("\nThis is a look at one case: it gives no points, and nothing is kept of it.\n");
  if (verdict == Verdict::pass) return exit_pass;
  return verdict == Verdict::infrastructure ? exit_infrastructure : exit_short;
}

int Lab::State::rank_of(const StageState& state) const {
  return static_cast<int>(state.task.config - grading.lab.stages.data());
}

void Lab::State::run_cases() {
  for (Definition& definition : definitions) {
    std::erase_if(definition.contract.suite.cases, [&](const CaseSpec& spec) {
      return grading.gpu ? spec.too_large : spec.gpu_only;
    });
  }
  for (auto& state : stages) {
    if (state->decided) continue;
    state->correctness = std::make_unique<Correctness>(grading, state->task);
    register_cases(state->result.name, state->task.contract->suite, *state->correctness);
  }
  const auto stage_named = [this](const std::string& wanted) -> StageState& {
    return **std::ranges::find_if(stages,
                                  [&](const auto& one) { return one->result.name == wanted; });
  };
  TestProgress progress;
  if (background) {
    progress.on_plan = [&](const std::string& stage, const std::vector<std::string>& cases) {
      StageState& state = stage_named(stage);
      state.correctness->run_ahead(cases, *background, rank_of(state));
    };
  } else {
    const auto ahead = static_cast<std::size_t>(std::clamp(available_cores() / 2, 1, 8));
    progress.on_plan = [&, ahead](const std::string& stage, const std::vector<std::string>& cases) {
      stage_named(stage).correctness->make_ahead(cases, ahead);
    };
  }
  progress.on_case = [this](const std::string& stage, int number, int count) {
    status.show(fmt::format("{}/{}: case {} of {}", name, stage, number, count));
  };
  progress.on_stage_end = [&](const std::string& stage) {
    StageState& state = stage_named(stage);
    state.correctness->release();
    decide_by_cases(state);
    if (state.decided) {
      settle(state);
    } else if (needs_timing(state) && state.task.contract->suite.timing) {
      begin_timing(state);
    }
  };
  if (run_tests(options().verbose > 1, std::move(progress))) throw ListingDone();
  for (auto& state : stages) {
    // A filter may have left out a whole stage.
    if (!state->decided) decide_by_cases(*state);
  }
}

std::unique_ptr<Timer> Lab::State::timer_of(const StageState& state) {
  return make_timer(grading, state.task, required_speedup(grading, *state.task.config).value,
                    *shared_by_timers);
}

void Lab::State::begin_timing(const StageState& state) {
  shared_by_timers->calls.begin(state.task, rank_of(state));
  if (early_timers.size() == static_cast<std::size_t>(timed_at_once(grading))) return;
  auto& timer = early_timers[&state] = timer_of(state);
  timer->begin_early();
}

void Lab::State::run_timing() {
  grading.found_device.reset();  // if no case took it: nothing else may be on a GPU that is timed
  std::vector<std::unique_ptr<TimedStage>> timed;
  std::map<std::string, StageState*> by_name;
  for (auto& state : stages) {
    if (state->decided) continue;
    if (!needs_timing(*state)) {
      decide_by_times(grading, *state, nullptr);
      settle(*state);
      continue;
    }
    if (!state->task.contract->suite.timing)
      throw CannotGrade("grader.cpp says of " + state->task.contract->function +
                        "() no call to be timed, but lab.toml gives points for speed.");
    auto& stage = *timed.emplace_back(std::make_unique<TimedStage>());
    stage.name = name + "/" + state->result.name;
    const auto early = early_timers.extract(state.get());
    stage.timer = early ? std::move(early.mapped()) : timer_of(*state);
    by_name[stage.name] = state.get();
  }
  const auto on_start = [this](const TimedStage& stage) { status.show(stage.name + ": timing …"); };
  const auto on_end = [&](const TimedStage& stage) {
    StageState& state = *by_name.at(stage.name);
    decide_by_times(grading, state, &stage);
    settle(state);
  };
  if (run_benchmarks(timed, timed_at_once(grading), options().verbose > 1, on_start, on_end))
    throw ListingDone();
  for (const auto& stage : timed) {
    StageState& state = *by_name.at(stage->name);
    if (!state.decided) decide_by_times(grading, state, stage.get());
  }
}

Results Lab::State::results() {
  Results all;
  all.device = grading.device;
  if (all.device.kind.empty()) all.device.kind = options().device == "gpu" ? "gpu" : "sim";
  LabResult& lab = all.labs.emplace_back();
  lab.name = name;
  if (!options().solutions)
    lab.ignored = ignored_files(source_folder(), grading.lab, grading.handed_in.empty());
  for (const auto& state : stages) lab.stages.push_back(state->result);
  all.total();
  return all;
}

int Lab::State::report() {
  const Results all = results();
  if (!options().json.empty()) write_file(options().json, to_json(all));
  if (!options().junit.empty()) write_file(options().junit, to_junit(all));
  if (options().no_table) return exit_code(all);
  TableOptions table{.verbose = options().verbose};
  if (options().verbose > 0)
    table.counters[name] = handout_counters(grading.installation.tree / "labs" / name);
  std::fputs(to_table(all, style_of(stdout), table).c_str(), stdout);
  return exit_code(all);
}

}  // namespace gridstride
