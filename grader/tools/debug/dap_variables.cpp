// Scopes and variables, as trees that an editor opens step by step.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "grader/tools/debug/dap_session.h"

namespace gridstride::cli {
namespace {

using nlohmann::json;
using Kind = sim::TraceType::Kind;

/// Elements in a line that stands for an array, and at most in one answer.
constexpr std::size_t elements_in_line = 16;
constexpr std::uint64_t most_elements = 4096;

}  // namespace

std::int64_t DapSession::keep(std::variant<ScopeOf, ValueOf> what) {
  kept_.push_back(std::move(what));
  return static_cast<std::int64_t>(kept_.size());
}

json DapSession::scopes(const json& arguments) {
  debugger();
  const FrameOf frame = frame_numbered(arguments.at("frameId").get<std::int64_t>());
  json result = json::array();
  const auto add = [&](const char* name, ScopeKind kind, bool expensive) {
    result.push_back({{"name", name},
                      {"variablesReference", keep(ScopeOf{kind, frame})},
                      {"expensive", expensive}});
  };
  add("Parameters", ScopeKind::parameters, false);
  add("Locals", ScopeKind::locals, false);
  add("Shared", ScopeKind::shared, false);
  add("Global", ScopeKind::global, true);
  add("Warp", ScopeKind::warp, false);
  return {{"scopes", std::move(result)}};
}

json DapSession::line_of(const std::string& name, const std::string& text) const {
  return {{"name", name}, {"value", text}, {"variablesReference", 0}};
}

json DapSession::variable(const sim::Value& value, const std::string& expression,
                          const FrameOf& frame) {
  const sim::Inspector& inspector = debugger().inspector();
  const sim::Moment moment = moment_of(frame);
  const sim::TraceType& type = inspector.type(value);
  json result = line_of(value.name, inspector.text(value, moment, elements_in_line));
  result["type"] = type.name;
  if (!expression.empty()) result["evaluateName"] = expression;
  const std::uint64_t children = inspector.children(value, moment);
  if (children == 0) return result;
  result["variablesReference"] = keep(ValueOf{value, expression, frame});
  result[type.kind == Kind::array ? "indexedVariables" : "namedVariables"] = children;
  return result;
}

json DapSession::children_of(const ValueOf& parent, const json& arguments) {
  const sim::Inspector& inspector = debugger().inspector();
  const sim::Moment moment = moment_of(parent.frame);
  const sim::TraceType type = inspector.type(parent.value);
  const bool is_array = type.kind == Kind::array;
  json result = json::array();
  const std::string filter = arguments.value("filter", "");
  if (!filter.empty() && filter != (is_array ? "indexed" : "named")) return result;
  const std::uint64_t all = inspector.children(parent.value, moment);
  const std::uint64_t first = arguments.value("start", std::uint64_t{0});
  std::uint64_t count = arguments.value("count", std::uint64_t{0});
  if (count == 0) count = all;
  const std::uint64_t end =
      first >= all ? first : first + std::min({all - first, count, most_elements});
  for (std::uint64_t i = first; i < end; ++i) {
    const sim::Value child = inspector.child(parent.value, i, moment);
    const std::string& of = parent.expression;
    const std::string expression = of.empty()                     ? ""
                                   : is_array                     ? of + child.name
                                   : type.kind == Kind::structure ? of + "." + child.name
                                                                  : of + "[0]";
    result.push_back(variable(child, expression, parent.frame));
  }
  return result;
}

json DapSession::lanes_of(const FrameOf& frame) {
  json result = json::array();
  const sim::Trace& trace = debugger().playback().trace();
  const std::uint32_t warp = frame.focus.warp % trace.warps_in_block();
  const std::uint64_t threads = trace.block.count() - std::uint64_t{warp} * 32;
  for (std::uint32_t lane = 0; lane < std::min<std::uint64_t>(threads, 32); ++lane) {
    const sim::Focus thread{frame.focus.warp, lane};
    result.push_back(line_of(
        fmt::format("lane {} {}", lane, sim::text_of(debugger().inspector().thread_of(thread))),
        sim::place_text(debugger(), thread)));
  }
  return result;
}

json DapSession::warp_of(const FrameOf& frame) {
  json result = json::array();
  const sim::Moment moment = moment_of(frame);
  const sim::SourceSteps& steps = debugger().steps();
  result.push_back(line_of("thread", sim::thread_text(debugger().inspector(), frame.focus)));
  result.push_back(line_of("lane", std::to_string(frame.focus.lane)));
  if (const auto next = steps.next(frame.focus, moment.position)) {
    const sim::TraceStep& step = debugger().playback().step(*next);
    result.push_back(line_of("stands with", sim::lanes_text(step.here)));
    result.push_back(line_of("next instruction", debugger().playback().op(*next).text));
    if (steps.waits(frame.focus.warp, moment.position))
      result.push_back(line_of("waits", "at a barrier"));
  } else {
    result.push_back(line_of("next instruction",
                             std::string("none: the thread is ") + debugger().end_of_thread()));
  }
  json lanes = line_of("lanes", "where each stands");
  lanes["variablesReference"] = keep(ScopeOf{ScopeKind::lanes, frame});
  result.push_back(std::move(lanes));
  return result;
}

json DapSession::variables(const json& arguments) {
  const sim::Inspector& inspector = debugger().inspector();
  const std::int64_t reference = arguments.at("variablesReference").get<std::int64_t>();
  if (reference < 1 || static_cast<std::size_t>(reference) > kept_.size())
    throw DapError("There are no variables " + std::to_string(reference) + " at this stop.");
  // A copy: what is shown adds to those that are kept.
  const auto what = kept_[static_cast<std::size_t>(reference - 1)];
  if (const auto* value = std::get_if<ValueOf>(&what))
    return {{"variables", children_of(*value, arguments)}};
  const auto& scope = std::get<ScopeOf>(what);
  const sim::Moment moment = moment_of(scope.frame);
  const std::optional<sim::StackFrame> frame = frame_of(scope.frame);
  std::vector<sim::Value> values;
  switch (scope.kind) {
    case ScopeKind::warp:
      return {{"variables", warp_of(scope.frame)}};
    case ScopeKind::lanes:
      return {{"variables", lanes_of(scope.frame)}};
    case ScopeKind::parameters:
      if (frame) values = inspector.parameters(*frame, moment);
      break;
    case ScopeKind::locals:
      if (frame) values = inspector.locals(*frame, moment);
      break;
    case ScopeKind::shared:
      values = inspector.shared(moment);
      break;
    case ScopeKind::global:
      values = inspector.globals();
      break;
  }
  json result = json::array();
  for (const sim::Value& value : values) result.push_back(variable(value, value.name, scope.frame));
  return {{"variables", std::move(result)}};
}

}  // namespace gridstride::cli
