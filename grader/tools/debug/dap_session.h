// One session of the Debug Adapter Protocol: what an editor asks, answered from a recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "common/simulator/debugger/debugger.h"
#include "common/simulator/debugger/words.h"
#include "grader/tools/commands.h"
#include "grader/tools/debug/dap_channel.h"
#include "grader/tools/debug/recorded.h"

namespace gridstride::cli {

/// A request that cannot be done, in words for the user.
class DapError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class DapSession {
 public:
  /// `record` makes the recording of what is launched; what the compiler and the program write in it goes to `said`.
  using Record = std::function<Recorded(const DebugOptions&, std::string& said)>;
  /// `options` hold what the command line says already.
  DapSession(DapChannel& channel, DebugOptions options, Record record);

  /// Answers until the editor ends the session; the exit code. Throws BadFrame.
  int run();

 private:
  using json = nlohmann::json;

  /// A thread's function, by its place from the innermost on.
  struct FrameOf {
    sim::Focus focus;
    std::size_t number = 0;
  };
  enum class ScopeKind { parameters, locals, shared, global, warp, lanes };
  struct ScopeOf {
    ScopeKind kind{};
    FrameOf frame;
  };
  struct ValueOf {
    sim::Value value;
    std::string expression;  ///< that names it; empty: none does
    FrameOf frame;
  };

  void answer(const std::string& text);
  json dispatch(const std::string& command, const json& arguments);
  void event(const std::string& name, json body);
  void output(const std::string& category, const std::string& text);
  /// Tells where it stands now, after the response to the request that moved it.
  void tell_stop(const sim::Stop& stop);
  void tell_stop(const std::string& reason, const std::string& description,
                 const std::string& text);

  json initialize(const json& arguments);
  json launch(const json& arguments);
  json configuration_done();
  json set_breakpoints(const json& arguments);
  json set_function_breakpoints(const json& arguments);
  json set_exception_breakpoints(const json& arguments);
  json exception_info();
  json threads();
  json stack_trace(const json& arguments);
  json evaluate(const json& arguments);
  json move(const json& arguments, sim::Stop (sim::Debugger::*motion)());
  json resume(const json& arguments);
  json end();

  // dap_variables.cpp
  json scopes(const json& arguments);
  json variables(const json& arguments);
  json children_of(const ValueOf& parent, const json& arguments);
  json lanes_of(const FrameOf& frame);
  json warp_of(const FrameOf& frame);
  json variable(const sim::Value& value, const std::string& expression, const FrameOf& frame);
  json line_of(const std::string& name, const std::string& text) const;
  std::int64_t keep(std::variant<ScopeOf, ValueOf> what);

  sim::Debugger& debugger();
  sim::Moment moment_of(const FrameOf& frame);
  std::optional<sim::StackFrame> frame_of(const FrameOf& frame);
  const FrameOf& frame_numbered(std::int64_t id) const;
  json source_of(const std::string& file) const;
  json breakpoint_json(const sim::Breakpoint& breakpoint);
  std::string known_file(const std::string& path);
  void forget_handles();

  DapChannel& channel_;
  DebugOptions options_;
  Record record_;
  std::vector<std::function<void()>> after_;  ///< events that follow the response
  bool initialized_ = false, over_ = false, stop_on_entry_ = false;
  std::int64_t first_line_ = 1;  ///< how the editor counts lines
  int exit_code_ = 0;
  std::optional<Recorded> recorded_;
  std::unique_ptr<sim::Debugger> debugger_;
  std::unique_ptr<sim::Words> words_;
  sim::Stop stop_;
  std::vector<FrameOf> frames_;
  std::vector<std::variant<ScopeOf, ValueOf>> kept_;
};

}  // namespace gridstride::cli
