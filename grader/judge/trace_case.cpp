// See the header.
#include "grader/judge/trace_case.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/text.h"
#include "grader/judge/correctness/look_at_case.h"

namespace gridstride {
namespace {

/// Sizes that one can look at, and how many cases are tried.
constexpr std::int64_t largest = 4200;
constexpr std::size_t most_cases = 80;
/// Where code for a debugger is tried: warp instructions of all cases, some seconds of simulation.
constexpr std::uint64_t most_instructions = 4'000'000;

using Lines = std::set<std::pair<std::string, std::uint32_t>>;

Lines lines_of(const CallResult& result) {
  Lines lines;
  if (!result.activity) return lines;
  for (const sim::LaunchRecord& launch : result.activity->launches) {
    for (const sim::LineCounters& line : launch.lines) lines.emplace(line.file, line.line);
  }
  return lines;
}

bool ran(const CallResult& result) { return result.activity && !result.activity->launches.empty(); }

std::uint64_t instructions_of(const CallResult& result) {
  std::uint64_t count = 0;
  if (!result.activity) return count;
  for (const sim::LaunchRecord& launch : result.activity->launches)
    count += launch.counters.warp_instructions;
  return count;
}

[[noreturn]] void no_such_case(const StageTask& task, const std::string& what) {
  std::string words = "The stage " + task.config->name + " has no case " + what + ". It has:";
  for (const CaseSpec& each : task.contract->suite.cases) {
    if (!each.gpu_only && !each.too_large) words += "\n  " + each.name;
  }
  throw NoSuchCase(words);
}

ChosenCase looked_at(CaseRunner& runner, const CaseSpec& spec, std::string why) {
  FirstCall first = runner.first(spec, [&] { return runner.make(spec); });
  ChosenCase chosen{spec, first.call, first.result, first.outcome, false, std::move(why)};
  if (first.again) {
    CallResult second;
    chosen.outcome = runner.second(spec, first, &second);
    if (chosen.outcome.verdict != Verdict::pass) {
      chosen.result = std::move(second);
      chosen.other_schedule = true;
    }
  }
  return chosen;
}

/// One of that size, or the call that is timed, at that size.
ChosenCase of_size(const Grading& grading, const StageTask& task, std::int64_t size) {
  CaseRunner runner(grading, task);
  const SuiteData& suite = task.contract->suite;
  for (const CaseSpec& spec : suite.cases) {
    if (spec.size == size && !spec.gpu_only && !spec.too_large)
      return looked_at(runner, spec, "of that size");
  }
  if (!suite.timing) no_such_case(task, "of size " + std::to_string(size));
  CaseSpec spec;
  spec.name = "size " + std::to_string(size);
  spec.size = size;
  spec.repeat = Repeat::never;
  spec.make = [&suite, size](Rng& rng) { return suite.timing(rng, size).call; };
  return looked_at(runner, spec, "the timed call at that size");
}

std::vector<const CaseSpec*> small_cases(const SuiteData& suite) {
  std::vector<const CaseSpec*> small;
  for (const CaseSpec& spec : suite.cases) {
    if (!spec.gpu_only && !spec.too_large && spec.size <= largest) small.push_back(&spec);
  }
  std::ranges::stable_sort(small, {}, &CaseSpec::size);
  if (small.size() > most_cases) small.resize(most_cases);
  return small;
}

}  // namespace

ChosenCase choose_case(const Grading& grading, const StageTask& task, const WantedCase& wanted) {
  const SuiteData& suite = task.contract->suite;
  if (!wanted.name.empty()) {
    const auto found = std::ranges::find(suite.cases, wanted.name, &CaseSpec::name);
    if (found == suite.cases.end()) no_such_case(task, "'" + escaped(wanted.name) + "'");
    if (found->gpu_only || found->too_large)
      throw CannotGrade("The case '" + wanted.name + "' is too large to be recorded.");
    CaseRunner runner(grading, task);
    return looked_at(runner, *found, "asked for");
  }
  if (wanted.size) return of_size(grading, task, *wanted.size);

  CaseRunner runner(grading, task);
  struct Tried {
    const CaseSpec* spec;
    Lines lines;
  };
  constexpr std::int64_t warp = 32;
  const auto is_tiny = [](const Tried& one) { return one.spec->size < warp; };
  std::vector<Tried> tried;
  std::uint64_t instructions = 0;
  std::optional<ChosenCase> without_launch;
  const std::vector<const CaseSpec*> small = small_cases(suite);
  for (const CaseSpec* spec : small) {
    if (runner.given_up(*spec)) break;
    const bool enough = wanted.small && instructions > most_instructions;
    if (enough && !std::ranges::all_of(tried, is_tiny)) break;
    FirstCall first = runner.first(*spec, [&] { return runner.make(*spec); });
    runner.settle(first.outcome);
    instructions += instructions_of(first.result);
    if (first.outcome.verdict != Verdict::pass) {
      ChosenCase chosen{*spec, std::move(first.call),       first.result, first.outcome,
                        false, "the smallest that is wrong"};
      if (ran(chosen.result)) return chosen;
      if (!without_launch) without_launch = std::move(chosen);
      continue;
    }
    if (ran(first.result)) tried.push_back({spec, lines_of(first.result)});
  }
  if (without_launch && tried.empty()) return *std::move(without_launch);
  // Larger ones may be wrong where small ones are right.
  for (const CaseSpec& spec : suite.cases) {
    if (wanted.small && !tried.empty()) break;
    if (spec.gpu_only || spec.too_large || spec.size <= largest || runner.given_up(spec)) continue;
    FirstCall first = runner.first(spec, [&] { return runner.make(spec); });
    runner.settle(first.outcome);
    if (first.outcome.verdict != Verdict::pass && ran(first.result))
      return {spec,  std::move(first.call),       std::move(first.result), first.outcome,
              false, "the smallest that is wrong"};
  }
  if (tried.empty())
    throw CannotGrade("No case of " + task.config->name +
                      " launches a kernel that could be recorded.");
  // One warp at least, where there is such a case.
  if (!std::ranges::all_of(tried, is_tiny)) std::erase_if(tried, is_tiny);
  std::size_t most = 0;
  for (const Tried& one : tried) most = std::max(most, one.lines.size());
  const auto best =
      std::ranges::find_if(tried, [most](const Tried& one) { return one.lines.size() == most; });
  return looked_at(runner, *best->spec,
                   "the smallest that runs through every line that a small one runs through");
}

}  // namespace gridstride
