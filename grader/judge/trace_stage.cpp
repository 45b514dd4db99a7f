// See the header.
#include "grader/judge/trace_stage.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/simulator/trace/named_threads.h"
#include "common/simulator/trace/trace.h"
#include "common/text.h"
#include "grader/judge/correctness/look_at_case.h"
#include "grader/judge/runners/session.h"
#include "grader/judge/sources/open_todo.h"

namespace gridstride {
namespace {

using nlohmann::json;

struct WrongElement {
  std::size_t argument = 0;
  std::uint64_t index = 0;
};

std::optional<WrongElement> first_wrong(const Call& call, const CallResult& result) {
  for (std::size_t i = 0; i < call.arguments.size() && i < result.outputs.size(); ++i) {
    if (!call.arguments[i].check || result.outputs[i].empty()) continue;
    const Mismatches wrong = call.arguments[i].check->compare(result.outputs[i]);
    if (wrong.count != 0 && !wrong.first.empty()) return WrongElement{i, wrong.first.front()};
  }
  return std::nullopt;
}

/// A process of its own for the call, as CaseRunner has it.
SessionOptions options_for(const Grading& grading, const StageTask& task,
                           const ChosenCase& chosen) {
  constexpr std::uint64_t instructions = 100'000'000, other_schedule = 0x5eed;  // as CaseRunner's
  SessionOptions options;
  options.installation = &grading.installation;
  options.library = task.library;
  options.function = task.contract->function;
  options.arguments = task.contract->arguments;
  options.clock = task.clock;
  options.schedule_seed = chosen.other_schedule ? other_schedule : 0;
  options.instruction_budget = instructions;
  return options;
}

/// In how many equal calls, one after the other, the last comes out wrong: more than one where a call leaves
/// something behind. 0: in none of a few.
int calls_until_wrong(const Grading& grading, const StageTask& task, const ChosenCase& chosen) {
  constexpr int most = 3;
  Session session(options_for(grading, task, chosen));
  try {
    session.load();
    session.prepare(chosen.call);
    for (int calls = 1; calls <= most; ++calls) {
      const CallResult result = session.run(chosen.call, Session::Seconds(grading.call_limit()));
      if (result.error || first_wrong(chosen.call, result)) return calls;
    }
  } catch (const RunnerError&) {
    return 1;
  }
  return 0;
}

/// The last of so many equal calls again, with a recorder. What became of it is known already.
json record(const Grading& grading, const StageTask& task, const ChosenCase& chosen, int calls,
            sim::TraceRequest request) {
  const TemporaryFolder scratch;
  request.file = (scratch.path() / "trace.json").string();
  write_file(scratch.path() / "request.json", sim::to_json(request).dump());
  SessionOptions options = options_for(grading, task, chosen);
  options.trace = scratch.path() / "request.json";
  Session session(options);
  try {
    session.load();
    session.prepare(chosen.call);
    for (int i = 0; i < calls; ++i)
      session.run(chosen.call, Session::Seconds(grading.call_limit()));
  } catch (const RunnerError&) {
    // As far as it came.
  }
  const std::filesystem::path file = request.file;
  if (!std::filesystem::exists(file)) return nullptr;
  return json::parse(read_file(file, std::size_t{1} << 30));
}

/// Names in the trace who had written, in the launches before, what its blocks read.
void add_earlier_writers(const Grading& grading, const StageTask& task, const ChosenCase& chosen,
                         int calls, json& recorded) {
  constexpr std::size_t most_places = 4096;
  if (recorded.is_null() || recorded.at("trace").is_null()) return;
  const sim::Trace trace = sim::trace_of(recorded.at("trace"));
  if (trace.launch == 0) return;
  sim::TraceRequest survey;
  survey.survey = true;
  survey.until = trace.launch;
  survey.places = sim::unexplained_reads(trace, most_places);
  if (survey.places.empty()) return;
  const json seen = record(grading, task, chosen, calls, survey);
  if (!seen.is_null()) recorded.at("trace").at("earlier") = seen.at("earlier");
}

sim::Dim3 dims_of(const json& from) { return {from.at(0), from.at(1), from.at(2)}; }

/// Where it is best to look: at a mistake, at who wrote the wrong element, at the beginning.
sim::TraceRequest request_for(const Grading& grading, const StageTask& task,
                              const ChosenCase& chosen, int calls,
                              const std::optional<WrongElement>& wrong, const WantedTrace& wanted) {
  sim::TraceRequest request;
  request.kernel = wanted.kernel;
  request.launch = wanted.launch;
  request.blocks = wanted.blocks;
  request.registers = wanted.registers;
  request.most_steps = wanted.most_steps;
  request.most_bytes = wanted.most_bytes;
  const auto& launches = chosen.result.activity->launches;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (launches[i].findings.empty() || launches[i].kernel.find(wanted.kernel) == std::string::npos)
      continue;
    if (wanted.launch >= 0 && wanted.launch != static_cast<std::int64_t>(i)) continue;
    request.launch = static_cast<std::int64_t>(i);
    if (!request.blocks.empty()) return request;
    for (const sim::NamedThread& one : sim::named_threads(launches[i].findings.front().message)) {
      if (std::ranges::find(request.blocks, one.block) == request.blocks.end())
        request.blocks.push_back(one.block);
    }
    return request;
  }
  if (!wrong || !wanted.kernel.empty() || wanted.launch >= 0 || !wanted.blocks.empty())
    return request;
  sim::TraceRequest survey;
  survey.survey = true;
  survey.argument = static_cast<std::int64_t>(wrong->argument);
  survey.byte = wrong->index * chosen.call.arguments[wrong->argument].element_bytes();
  const json seen = record(grading, task, chosen, calls, survey);
  if (seen.is_null() || seen.at("writer").is_null()) return request;
  request.launch = seen.at("writer").at("launch").get<std::int64_t>();
  request.blocks = {dims_of(seen.at("writer").at("block"))};
  return request;
}

json arguments_of(const Call& call) {
  json all = json::array();
  for (const CallArgument& argument : call.arguments)
    all.push_back({{"name", argument.name},
                   {"elements", argument.count},
                   {"bytes", argument.element_bytes()}});
  return all;
}

json entry_of(const StageState& stage, Verdict verdict, const std::string& message) {
  return {{"name", stage.result.name},
          {"source", stage.task.source.string()},
          {"verdict", name_of(verdict)},
          {"message", message},
          {"case", ""},
          {"why", ""},
          {"wrong", nullptr},
          {"arguments", json::array()},
          {"recorded", nullptr}};
}

sim::Dim3 block_named(const std::string& text) {
  if (const auto block = sim::parse_block(text)) return *block;
  throw NoSuchCase("There is no block '" + escaped(text) +
                   "': a block is named X, X,Y or X,Y,Z, as in 0 or 2,1.");
}

}  // namespace

json trace_stage(const Grading& grading, const StageState& stage, const WantedTrace& wanted) {
  const StageTask& task = stage.task;
  if (stage.decided) return entry_of(stage, stage.result.verdict, stage.result.message);
  const ChosenCase chosen = choose_case(grading, task, wanted.which);
  const auto open = open_todo(task);
  const bool todo = chosen.outcome.verdict != Verdict::pass && chosen.outcome.untouched && open;
  json entry = entry_of(stage, todo ? Verdict::todo : chosen.outcome.verdict,
                        todo ? words_about(*open) + "\nNot written yet: the call wrote no result."
                             : chosen.outcome.message);
  entry["case"] = chosen.spec.name;
  entry["why"] = chosen.why;
  entry["arguments"] = arguments_of(chosen.call);
  if (!chosen.result.activity || chosen.result.activity->launches.empty()) return entry;
  const auto wrong = first_wrong(chosen.call, chosen.result);
  if (wrong) {
    const CallArgument& argument = chosen.call.arguments[wrong->argument];
    entry["wrong"] = {
        {"argument", wrong->argument},
        {"index", wrong->index},
        {"text", argument.element(wrong->index)},
        {"bytes", argument.element_bytes()},
        {"expected",
         argument.check->knows_each() ? argument.check->expected_text(wrong->index) : ""},
        {"got", argument.check->got_text(chosen.result.outputs[wrong->argument], wrong->index)}};
  }
  int calls = wrong ? calls_until_wrong(grading, task, chosen) : 1;
  if (calls > 1)
    entry["why"] = chosen.why + "; recorded is call " + std::to_string(calls) +
                   " of as many equal ones, for the calls before leave something behind";
  if (calls == 0) {
    calls = 1;
    entry["why"] = chosen.why +
                   "; alone, as it is recorded, it comes out right: something is left behind by "
                   "other cases";
  }
  json& recorded = entry["recorded"];
  recorded = record(grading, task, chosen, calls,
                    request_for(grading, task, chosen, calls, wrong, wanted));
  add_earlier_writers(grading, task, chosen, calls, recorded);
  return entry;
}

void write_trace(const Grading& grading, const StageState& stage, const Options& options) {
  WantedTrace wanted;
  wanted.which = {options.one_case, options.size, options.trace_registers};
  wanted.kernel = options.trace_kernel;
  if (options.trace_launch) wanted.launch = *options.trace_launch - 1;
  wanted.registers = options.trace_registers;
  wanted.most_steps = options.trace_steps.value_or(wanted.most_steps);
  wanted.most_bytes = options.trace_bytes.value_or(wanted.most_bytes);
  for (const std::string& text : options.trace_blocks) wanted.blocks.push_back(block_named(text));
  write_file(
      options.trace,
      trace_stage(grading, stage, wanted).dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace gridstride
