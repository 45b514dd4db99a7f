// Requests and events; what variables hold is dap_variables.cpp's.
// https://microsoft.github.io/debug-adapter-protocol/specification
#include "grader/tools/debug/dap_session.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/subprocess.h"
#include "common/text.h"
#include "grader/report/results.h"

namespace gridstride::cli {
namespace fs = std::filesystem;

using nlohmann::json;

DapSession::DapSession(DapChannel& channel, DebugOptions options, Record record)
    : channel_(channel), options_(std::move(options)), record_(std::move(record)) {}

int DapSession::run() {
  while (!over_) {
    const std::optional<std::string> text = channel_.read();
    if (!text) break;  // the editor has gone
    answer(*text);
  }
  return exit_code_;
}

void DapSession::event(const std::string& name, json body) {
  channel_.send({{"type", "event"}, {"event", name}, {"body", std::move(body)}});
}

void DapSession::output(const std::string& category, const std::string& text) {
  if (!text.empty()) event("output", {{"category", category}, {"output", text}});
}

void DapSession::answer(const std::string& text) {
  json response = {{"type", "response"}, {"request_seq", 0}, {"command", ""}, {"success", false}};
  const json request = json::parse(text, nullptr, /*allow_exceptions=*/false);
  std::string words;
  after_.clear();
  try {
    if (!request.is_object() || request.value("type", "") != "request" ||
        !request.contains("command") || !request.contains("seq"))
      throw DapError("This is no request: " + in_quotes(text, 80));
    response["request_seq"] = request.at("seq").get<std::int64_t>();
    response["command"] = request.at("command").get<std::string>();
    const json arguments = request.value("arguments", json::object());
    if (!arguments.is_object()) throw DapError("The arguments are no object.");
    json body = dispatch(request.at("command").get<std::string>(), arguments);
    if (!body.is_null()) response["body"] = std::move(body);
    response["success"] = true;
  } catch (const Interrupted&) {
    throw;
  } catch (const json::exception& error) {
    words = "The request is not as the protocol has it: " + std::string(error.what());
  } catch (const std::exception& error) {
    words = error.what();
  }
  if (!words.empty()) {
    response["message"] = words;
    response["body"] = {{"error",
                         {{"id", 1},
                          {"format", "{words}"},
                          {"variables", {{"words", words}}},
                          {"showUser", response.at("command") == "launch"}}}};
    after_.clear();
  }
  channel_.send(std::move(response));
  for (const auto& one : after_) one();
}

json DapSession::dispatch(const std::string& command, const json& arguments) {
  using Does = json (*)(DapSession&, const json&);
  static const std::map<std::string, Does> requests = {
      {"launch", [](DapSession& s, const json& a) { return s.launch(a); }},
      {"configurationDone", [](DapSession& s, const json&) { return s.configuration_done(); }},
      {"setBreakpoints", [](DapSession& s, const json& a) { return s.set_breakpoints(a); }},
      {"setFunctionBreakpoints",
       [](DapSession& s, const json& a) { return s.set_function_breakpoints(a); }},
      {"setExceptionBreakpoints",
       [](DapSession& s, const json& a) { return s.set_exception_breakpoints(a); }},
      {"exceptionInfo", [](DapSession& s, const json&) { return s.exception_info(); }},
      {"threads", [](DapSession& s, const json&) { return s.threads(); }},
      {"stackTrace", [](DapSession& s, const json& a) { return s.stack_trace(a); }},
      {"scopes", [](DapSession& s, const json& a) { return s.scopes(a); }},
      {"variables", [](DapSession& s, const json& a) { return s.variables(a); }},
      {"evaluate", [](DapSession& s, const json& a) { return s.evaluate(a); }},
      {"continue", [](DapSession& s, const json& a) { return s.resume(a); }},
      {"reverseContinue",
       [](DapSession& s, const json& a) { return s.move(a, &sim::Debugger::reverse_resume); }},
      {"next",
       [](DapSession& s, const json& a) {
         const bool one = a.value("granularity", "line") == "instruction";
         return s.move(a, one ? &sim::Debugger::step_instruction : &sim::Debugger::next);
       }},
      {"stepIn",
       [](DapSession& s, const json& a) {
         const bool one = a.value("granularity", "line") == "instruction";
         return s.move(a, one ? &sim::Debugger::step_instruction : &sim::Debugger::step);
       }},
      {"stepOut", [](DapSession& s, const json& a) { return s.move(a, &sim::Debugger::finish); }},
      {"stepBack",
       [](DapSession& s, const json& a) {
         const bool one = a.value("granularity", "line") == "instruction";
         return s.move(a, one ? &sim::Debugger::back_instruction : &sim::Debugger::back);
       }},
      {"pause",
       [](DapSession& s, const json&) {
         s.debugger();
         s.after_.push_back([&s] { s.tell_stop("pause", "Paused", ""); });
         return json();
       }},
      {"terminate", [](DapSession& s, const json&) { return s.end(); }},
      {"disconnect",
       [](DapSession& s, const json&) {
         s.over_ = true;
         return json();
       }},
  };
  if (command == "initialize") return initialize(arguments);
  if (!initialized_) throw DapError("The first request must be 'initialize'.");
  const auto found = requests.find(command);
  if (found == requests.end())
    throw DapError("There is no request " + in_quotes(command, 60) + " here.");
  return found->second(*this, arguments);
}

sim::Debugger& DapSession::debugger() {
  if (!debugger_)
    throw DapError("Nothing is launched yet; this belongs behind the event 'initialized'.");
  return *debugger_;
}

json DapSession::initialize(const json& arguments) {
  if (arguments.value("pathFormat", "path") != "path")
    throw DapError("Files are named by their paths here, not by URIs.");
  first_line_ = arguments.value("linesStartAt1", true) ? 1 : 0;
  initialized_ = true;
  return {{"supportsConfigurationDoneRequest", true},
          {"supportsConditionalBreakpoints", true},
          {"supportsFunctionBreakpoints", true},
          {"supportsEvaluateForHovers", true},
          {"supportsStepBack", true},
          {"supportsSteppingGranularity", true},
          {"supportsExceptionInfoRequest", true},
          {"supportsTerminateRequest", true},
          {"exceptionBreakpointFilters",
           json::array({{{"filter", "findings"},
                         {"label", "Findings"},
                         {"description", "Stop where the simulated GPU sees a mistake"},
                         {"default", true}}})}};
}

json DapSession::launch(const json& arguments) {
  if (debugger_) throw DapError("Something is launched already: begin a new session.");
  DebugOptions options = options_;
  TraceOptions& what = options.recorded;
  if (arguments.contains("program")) {
    what.names = {arguments.at("program").get<std::string>()};
    for (const json& word : arguments.value("args", json::array()))
      what.names.push_back(word.get<std::string>());
  }
  if (what.names.empty())
    throw DapError("launch: 'program' is missing: LAB/STAGE, or a program's .cu file.");
  what.solutions = arguments.value("solutions", what.solutions);
  what.one_case = arguments.value("case", what.one_case);
  what.kernel = arguments.value("kernel", what.kernel);
  what.no_build = arguments.value("noBuild", what.no_build);
  options.from = arguments.value("from", options.from);
  if (arguments.contains("size")) what.size = arguments.at("size").get<std::int64_t>();
  if (arguments.contains("launch")) what.launch = arguments.at("launch").get<std::int64_t>();
  if (arguments.contains("block")) what.blocks = {arguments.at("block").get<std::string>()};
  stop_on_entry_ = arguments.value("stopOnEntry", false);
  std::string said;
  try {
    recorded_ = record_(options, said);
  } catch (...) {
    output("stderr", said);
    throw;
  }
  output("stdout", said);
  exit_code_ = recorded_->exit_code;
  if (!recorded_->playback) throw DapError(recorded_->words);
  output("console", sim::heading_text(*recorded_->playback));
  debugger_ = std::make_unique<sim::Debugger>(*recorded_->playback);
  words_ = std::make_unique<sim::Words>(*debugger_);
  after_.emplace_back([this] { event("initialized", json::object()); });
  return {};
}

json DapSession::configuration_done() {
  debugger();
  after_.emplace_back([this] {
    if (stop_on_entry_) {
      debugger_->restart();
      tell_stop("entry", "The beginning of the recording", "");
    } else {
      tell_stop(debugger_->run());
    }
  });
  return {};
}

void DapSession::forget_handles() {
  frames_.clear();
  kept_.clear();
}

void DapSession::tell_stop(const std::string& reason, const std::string& description,
                           const std::string& text) {
  forget_handles();
  json body = {{"reason", reason},
               {"description", description},
               {"threadId", debugger().moment().focus.warp + 1},
               {"allThreadsStopped", true}};
  if (!text.empty()) body["text"] = text;
  if (!stop_.breakpoints.empty()) body["hitBreakpointIds"] = stop_.breakpoints;
  event("stopped", std::move(body));
}

void DapSession::tell_stop(const sim::Stop& stop) {
  stop_ = stop;
  switch (stop.reason) {
    case sim::StopReason::breakpoint:
      return tell_stop("breakpoint", stop.text, "");
    case sim::StopReason::finding:
      return tell_stop("exception", "Finding", stop.text);
    case sim::StopReason::end:
      output("console", stop.text + "\n");
      return tell_stop("end", stop.text, stop.text);
    case sim::StopReason::begin:
      return tell_stop("step", stop.text, stop.text);
    default:
      return tell_stop("step", "Step", "");
  }
}

json DapSession::source_of(const std::string& file) const {
  return {{"name", fs::path(file).filename().string()}, {"path", file}};
}

/// The name that the recording has for it.
std::string DapSession::known_file(const std::string& path) {
  for (const std::string& file : debugger().breakpoints().files()) {
    std::error_code missing;
    if (file == path || fs::equivalent(file, path, missing)) return file;
  }
  return path;
}

json DapSession::breakpoint_json(const sim::Breakpoint& breakpoint) {
  json result = {{"id", breakpoint.number}, {"verified", breakpoint.verified}};
  const std::string doubt = debugger().doubt_about(breakpoint);
  const std::string& says = breakpoint.says;
  const std::string message = says + (says.empty() || doubt.empty() ? "" : "; ") + doubt;
  if (!message.empty()) result["message"] = message;
  if (breakpoint.verified) {
    result["line"] = breakpoint.line - 1 + first_line_;
    result["source"] = source_of(debugger().steps().lines()[breakpoint.lines.front()].file);
  }
  return result;
}

json DapSession::set_breakpoints(const json& arguments) {
  sim::Breakpoints& all = debugger().breakpoints();
  const std::string file = known_file(arguments.at("source").value("path", ""));
  all.remove_file(file);
  json result = json::array();
  for (const json& one : arguments.value("breakpoints", json::array())) {
    const std::int64_t line = one.at("line").get<std::int64_t>() - first_line_ + 1;
    if (line < 1 || line > UINT32_MAX) throw DapError("A line's number begins at 1.");
    result.push_back(breakpoint_json(
        all.add(file, static_cast<std::uint32_t>(line), one.value("condition", ""))));
  }
  return {{"breakpoints", std::move(result)}};
}

json DapSession::set_function_breakpoints(const json& arguments) {
  sim::Breakpoints& all = debugger().breakpoints();
  all.remove_functions();
  json result = json::array();
  for (const json& one : arguments.at("breakpoints"))
    result.push_back(breakpoint_json(
        all.add_function(one.at("name").get<std::string>(), one.value("condition", ""))));
  return {{"breakpoints", std::move(result)}};
}

json DapSession::set_exception_breakpoints(const json& arguments) {
  const auto filters = arguments.at("filters").get<std::vector<std::string>>();
  debugger().stop_at_findings(std::ranges::find(filters, "findings") != filters.end());
  return {};
}

json DapSession::exception_info() {
  const auto& findings = debugger().playback().trace().findings;
  if (stop_.finding < 0) throw DapError("It does not stand at a finding.");
  const sim::TraceFinding& finding = findings.at(static_cast<std::size_t>(stop_.finding));
  return {{"exceptionId", finding.kind}, {"description", finding.message}, {"breakMode", "always"}};
}

json DapSession::threads() {
  const sim::Trace& trace = debugger().playback().trace();
  json result = json::array();
  for (std::uint32_t block = 0; block < trace.blocks.size(); ++block) {
    for (std::uint32_t warp = 0; warp < trace.warps_in_block(); ++warp)
      result.push_back({{"id", block * trace.warps_in_block() + warp + 1},
                        {"name", "block " + sim::index_text(trace.blocks[block], trace.grid) +
                                     " warp " + std::to_string(warp)}});
  }
  return {{"threads", std::move(result)}};
}

json DapSession::stack_trace(const json& arguments) {
  const std::int64_t id = arguments.at("threadId").get<std::int64_t>();
  const sim::Trace& trace = debugger().playback().trace();
  const auto warps = static_cast<std::int64_t>(trace.blocks.size() * trace.warps_in_block());
  if (id < 1 || id > warps) throw DapError("There is no thread " + std::to_string(id) + ".");
  const sim::Focus focus = debugger().lane_of(static_cast<std::uint32_t>(id - 1));
  const sim::Moment moment{debugger().moment().position, focus};
  const auto frames = debugger().inspector().frames(moment);
  const auto first = std::max<std::int64_t>(arguments.value("startFrame", std::int64_t{0}), 0);
  const std::int64_t levels = arguments.value("levels", std::int64_t{0});
  json result = json::array();
  for (auto i = static_cast<std::size_t>(first); i < frames.size(); ++i) {
    if (levels > 0 && static_cast<std::int64_t>(i) >= first + levels) break;
    frames_.push_back({focus, i});
    json one = {{"id", frames_.size()},
                {"name", frames[i].name},
                {"line", frames[i].line.line == 0 ? 0 : frames[i].line.line - 1 + first_line_},
                {"column", 0}};
    if (!frames[i].line.file.empty()) one["source"] = source_of(frames[i].line.file);
    if (i == 0 && debugger().has_ended(focus)) {
      one["name"] = frames[i].name + " (" + debugger().end_of_thread() + ")";
      one["presentationHint"] = "subtle";
    }
    result.push_back(std::move(one));
  }
  return {{"stackFrames", std::move(result)}, {"totalFrames", frames.size()}};
}

const DapSession::FrameOf& DapSession::frame_numbered(std::int64_t id) const {
  if (id < 1 || static_cast<std::size_t>(id) > frames_.size())
    throw DapError("There is no frame " + std::to_string(id) + " at this stop.");
  return frames_[static_cast<std::size_t>(id - 1)];
}

sim::Moment DapSession::moment_of(const FrameOf& frame) {
  return {debugger().moment().position, frame.focus};
}

std::optional<sim::StackFrame> DapSession::frame_of(const FrameOf& frame) {
  const auto frames = debugger().inspector().frames(moment_of(frame));
  return frame.number < frames.size() ? std::optional(frames[frame.number]) : std::nullopt;
}

json DapSession::evaluate(const json& arguments) {
  const std::string expression = arguments.at("expression").get<std::string>();
  FrameOf frame{debugger().moment().focus, 0};
  const bool is_repl = arguments.value("context", "") == "repl";
  if (arguments.contains("frameId")) {
    frame = frame_numbered(arguments.at("frameId").get<std::int64_t>());
    // What is typed is meant for the thread that the editor shows.
    if (is_repl) debugger().set_focus(frame.focus);
  }
  if (is_repl && words_->knows(expression)) {
    const sim::Answer answer = words_->say(expression);
    if (answer.quit) {
      end();
    } else if (answer.moved) {
      after_.emplace_back([this, stop = answer.stop] {
        if (stop) return tell_stop(*stop);
        stop_ = {};
        tell_stop("goto", "Another thread is in focus", "");
      });
    }
    std::string text = answer.text;
    if (text.ends_with('\n')) text.pop_back();
    return {{"result", text}, {"variablesReference", 0}};
  }
  const auto here = frame_of(frame);
  const sim::Value value =
      sim::evaluate(expression, debugger().inspector(), here ? &*here : nullptr, moment_of(frame));
  json shown = variable(value, expression, frame);
  shown["result"] = shown.at("value");
  shown.erase("value");
  shown.erase("name");
  shown.erase("evaluateName");
  return shown;
}

json DapSession::move(const json& arguments, sim::Stop (sim::Debugger::*motion)()) {
  const std::int64_t id = arguments.at("threadId").get<std::int64_t>();
  const sim::Trace& trace = debugger().playback().trace();
  const auto warps = static_cast<std::int64_t>(trace.blocks.size() * trace.warps_in_block());
  if (id < 1 || id > warps) throw DapError("There is no thread " + std::to_string(id) + ".");
  debugger().set_focus(debugger().lane_of(static_cast<std::uint32_t>(id - 1)));
  after_.emplace_back([this, motion] { tell_stop((debugger().*motion)()); });
  return {};
}

json DapSession::resume(const json& arguments) {
  // The end is a place to go back from; who goes on from there wants no more.
  if (debugger().moment().position >= debugger().end()) {
    end();
  } else {
    move(arguments, &sim::Debugger::resume);
  }
  return {{"allThreadsContinued", true}};
}

json DapSession::end() {
  after_.emplace_back([this] {
    event("exited", {{"exitCode", exit_code_}});
    event("terminated", json::object());
  });
  return {};
}

}  // namespace gridstride::cli
