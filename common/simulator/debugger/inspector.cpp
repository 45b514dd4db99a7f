// Frames and variables; how a value is shown is value_text.cpp's.
#include "common/simulator/debugger/inspector.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/base/address_spaces.h"
#include "common/simulator/playback/source_names.h"

namespace gridstride::sim {
namespace {

using Kind = TraceType::Kind;

std::vector<std::uint8_t> bytes_of(std::uint64_t bits, std::uint64_t count) {
  std::vector<std::uint8_t> bytes(std::min<std::uint64_t>(count, sizeof bits));
  std::memcpy(bytes.data(), &bits, bytes.size());
  return bytes;
}

bool in_scope(const TraceVariable& variable, std::uint32_t at) {
  return variable.begin <= at && at < variable.end;
}

bool is_shared(const TraceVariable& variable) {
  return !variable.locations.empty() &&
         variable.locations.front().kind == TraceLocation::Kind::shared;
}

}  // namespace

Inspector::Inspector(const Playback& playback, const SourceSteps& steps)
    : playback_(playback), steps_(steps), memory_(playback), types_(playback.trace().types) {
  const Trace& trace = playback.trace();
  long_ = types_.scalar(Kind::signed_integer, 8, "long");
  double_ = types_.scalar(Kind::floating, 8, "double");
  const std::int32_t number = types_.scalar(Kind::unsigned_integer, 4, "unsigned int");
  dim3_ = types_.add({.name = "dim3",
                      .kind = Kind::structure,
                      .bytes = 12,
                      .members = {{"x", 0, number}, {"y", 4, number}, {"z", 8, number}}});
  for (const NamedArray& array : playback.arrays()) {
    std::int32_t type = -1;
    for (const TraceFunction& function : trace.functions) {
      for (const TraceVariable& variable : function.variables) {
        if (array.space == TraceSpace::shared && variable.name == array.name &&
            is_shared(variable) && variable.locations.front().place == array.begin)
          type = variable.type;
      }
    }
    // How long a dynamic one is only the launch says.
    const std::uint64_t element = types_[types_[type].element].bytes;
    if (types_[type].bytes == 0 && element != 0)
      type = types_.array(types_[type].element, array.bytes / element);
    array_types_.push_back(types_[type].bytes != 0 ? type : types_.of(array));
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (playback.step(i).written.empty()) continue;
    const TraceOp& op = playback.op(i);
    for (const std::uint32_t reg : op.writes)
      writes_[register_key(playback.step(i).warp, op.function, reg)].push_back(i);
  }
}

std::uint64_t Inspector::register_key(std::uint32_t warp, std::uint32_t function,
                                      std::uint32_t reg) const {
  return (std::uint64_t{warp} * playback_.trace().functions.size() + function) << 32 | reg;
}

std::vector<StackFrame> Inspector::frames(const Moment& moment) const {
  std::vector<StackFrame> frames;
  auto at = steps_.next(moment.focus, moment.position);
  if (!at) at = steps_.previous(moment.focus, moment.position);
  const auto& functions = playback_.trace().functions;
  while (at) {
    const TraceStep& step = playback_.step(*at);
    StackFrame frame;
    frame.step = *at;
    frame.depth = step.depth;
    frame.function = playback_.op(*at).function;
    const std::string& name = frame.function < functions.size() ? functions[frame.function].name
                                                                : playback_.trace().kernel;
    frame.name = short_name(name);
    frame.line = steps_.lines()[steps_.line_of(*at)];
    std::optional<std::size_t> before = frame.step;
    if (frame.depth == 0) before.reset();
    while (before && playback_.step(*before).depth >= frame.depth)
      before = steps_.previous(moment.focus, *before);
    frame.caller = before;
    frames.push_back(std::move(frame));
    at = before;
  }
  return frames;
}

std::uint64_t Inspector::written_by(std::size_t step, std::uint32_t number,
                                    std::uint32_t lane) const {
  const TraceStep& by = playback_.step(step);
  const auto& registers = playback_.op(step).writes;
  const auto which =
      static_cast<std::size_t>(std::ranges::find(registers, number) - registers.begin());
  const auto lanes = static_cast<std::size_t>(std::popcount(by.lanes));
  const auto rank = static_cast<std::size_t>(std::popcount(by.lanes & ((1u << lane) - 1)));
  return by.written.at(which * lanes + rank);
}

std::optional<std::uint64_t> Inspector::register_of(std::uint32_t number, const StackFrame& frame,
                                                    const Moment& moment) const {
  const auto found = writes_.find(register_key(moment.focus.warp, frame.function, number));
  if (found == writes_.end()) return std::nullopt;
  const auto& writers = found->second;
  for (auto at = std::ranges::lower_bound(writers, moment.position); at != writers.begin();) {
    --at;
    if (frame.caller && *at <= *frame.caller) return std::nullopt;
    const TraceStep& step = playback_.step(*at);
    if (step.depth == frame.depth && (step.lanes >> moment.focus.lane & 1))
      return written_by(*at, number, moment.focus.lane);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Inspector::passed_in(std::uint32_t number, const StackFrame& frame,
                                                  const Moment& moment) const {
  for (auto at = steps_.next(moment.focus, moment.position);
       at && playback_.step(*at).depth == frame.depth &&
       playback_.op(*at).text.starts_with("ld.param");
       at = steps_.next(moment.focus, *at + 1)) {
    const auto& registers = playback_.op(*at).writes;
    const bool writes = std::ranges::find(registers, number) != registers.end() &&
                        (playback_.step(*at).lanes >> moment.focus.lane & 1);
    if (writes && !playback_.step(*at).written.empty())
      return written_by(*at, number, moment.focus.lane);
  }
  return std::nullopt;
}

bool Inspector::take_argument(const TraceVariable& variable, const StackFrame& frame,
                              Value& value) const {
  if (!variable.is_parameter || frame.function != 0 || frame.depth != 0) return false;
  const Trace& trace = playback_.trace();
  std::size_t number = 0;
  for (const TraceVariable& one : trace.functions[0].variables) {
    if (&one == &variable) break;
    number += one.is_parameter ? 1 : 0;
  }
  return number < trace.parameters.size() &&
         take_argument_at(trace.parameters[number].offset, value);
}

bool Inspector::take_argument_at(std::uint64_t offset, Value& value) const {
  for (const TraceParameter& one : playback_.trace().parameters) {
    const std::uint64_t within = offset - one.offset;
    if (within >= one.value.size()) continue;
    value.where.reset();
    value.missing.clear();
    value.bytes.assign(one.value.begin() + static_cast<std::ptrdiff_t>(within), one.value.end());
    return true;
  }
  return false;
}

Value Inspector::value_of(const TraceVariable& variable, const StackFrame& frame,
                          const Moment& moment) const {
  const std::uint32_t at = playback_.op(frame.step).at;
  Value value{.name = variable.name, .type = variable.type};
  const std::uint64_t bytes = types_[variable.type].bytes;
  const auto location = std::ranges::find_if(variable.locations, [&](const TraceLocation& one) {
    return one.begin <= at && at < one.end;
  });
  if (location == variable.locations.end()) {
    const bool before = std::ranges::any_of(
        variable.locations, [&](const TraceLocation& one) { return at < one.begin; });
    if (!take_argument(variable, frame, value))
      value.missing = before ? "not yet written" : "optimized out";
    return followed(std::move(value), moment);
  }
  switch (location->kind) {
    case TraceLocation::Kind::reg: {
      const auto number = static_cast<std::uint32_t>(location->place);
      auto bits = register_of(number, frame, moment);
      if (!bits && variable.is_parameter) bits = passed_in(number, frame, moment);
      if (bits) {
        value.bytes = bytes_of(*bits, bytes == 0 ? 8 : bytes);
      } else if (!take_argument(variable, frame, value)) {
        value.missing = "not yet written";
      }
      break;
    }
    case TraceLocation::Kind::local: {
      value.where = {TraceSpace::local, moment.focus.warp * 32 + moment.focus.lane,
                     playback_.step(frame.step).local_base + location->place};
      if (bytes != 0 && variable.is_parameter && !read(value, bytes, moment).all_known())
        take_argument(variable, frame, value);
      break;
    }
    case TraceLocation::Kind::shared:
      value.where = {TraceSpace::shared, playback_.block_of(playback_.step(frame.step)),
                     location->place};
      break;
    case TraceLocation::Kind::parameter:
      if (!take_argument_at(location->place, value)) value.missing = "not recorded";
      break;
    case TraceLocation::Kind::global:
      value.where = {TraceSpace::global, 0, location->place};
      break;
  }
  return followed(std::move(value), moment);
}

std::vector<Value> Inspector::parameters(const StackFrame& frame, const Moment& moment) const {
  std::vector<Value> values;
  const auto& functions = playback_.trace().functions;
  if (frame.function >= functions.size()) return values;
  for (const TraceVariable& variable : functions[frame.function].variables) {
    if (variable.is_parameter) values.push_back(value_of(variable, frame, moment));
  }
  return values;
}

std::vector<Value> Inspector::locals(const StackFrame& frame, const Moment& moment) const {
  std::vector<Value> values;
  const auto& functions = playback_.trace().functions;
  if (frame.function >= functions.size()) return values;
  const std::uint32_t at = playback_.op(frame.step).at;
  std::vector<const TraceVariable*> variables;
  for (const TraceVariable& variable : functions[frame.function].variables) {
    if (variable.is_parameter || is_shared(variable) || !in_scope(variable, at)) continue;
    const auto hidden = std::ranges::find(variables, variable.name, &TraceVariable::name);
    if (hidden == variables.end()) {
      variables.push_back(&variable);
    } else if (variable.begin >= (*hidden)->begin) {
      variables.erase(hidden);
      variables.push_back(&variable);
    }
  }
  for (const TraceVariable* variable : variables)
    values.push_back(value_of(*variable, frame, moment));
  return values;
}

std::vector<Value> Inspector::shared(const Moment& moment) const {
  std::vector<Value> values;
  const std::uint32_t block = moment.focus.warp / playback_.trace().warps_in_block();
  for (std::size_t i = 0; i < playback_.arrays().size(); ++i) {
    const NamedArray& array = playback_.arrays()[i];
    if (array.space != TraceSpace::shared || array.block != block) continue;
    values.push_back({.name = array.name,
                      .type = array_types_[i],
                      .where = MemoryPlace{TraceSpace::shared, block, array.begin}});
  }
  return values;
}

std::vector<Value> Inspector::globals() const {
  std::vector<Value> values;
  for (std::size_t i = 0; i < playback_.arrays().size(); ++i) {
    const NamedArray& array = playback_.arrays()[i];
    if (array.space == TraceSpace::global)
      values.push_back({.name = array.name,
                        .type = array_types_[i],
                        .where = MemoryPlace{TraceSpace::global, 0, array.begin}});
  }
  return values;
}

std::optional<Value> Inspector::built_in(const std::string& name, const Moment& moment) const {
  Dim3 index;
  if (name == "threadIdx") {
    index = thread_of(moment.focus);
  } else if (name == "blockIdx") {
    index = block_of(moment.focus);
  } else if (name == "blockDim") {
    index = playback_.trace().block;
  } else if (name == "gridDim") {
    index = playback_.trace().grid;
  } else if (name == "warpSize") {
    return made_of({.integer = 32}, name);
  } else {
    return std::nullopt;
  }
  Value value{.name = name, .type = dim3_};
  for (const std::uint32_t number : {index.x, index.y, index.z}) {
    for (const std::uint8_t byte : bytes_of(number, 4)) value.bytes.push_back(byte);
  }
  return value;
}

std::optional<Value> Inspector::named(const std::string& name, const StackFrame* frame,
                                      const Moment& moment) const {
  const auto among = [&](std::vector<Value> values) -> std::optional<Value> {
    const auto found = std::ranges::find(values, name, &Value::name);
    return found == values.end() ? std::nullopt : std::optional(std::move(*found));
  };
  if (frame) {
    if (auto local = among(locals(*frame, moment))) return local;
    if (auto parameter = among(parameters(*frame, moment))) return parameter;
  }
  if (auto variable = among(shared(moment))) return variable;
  if (auto variable = among(globals())) return variable;
  for (std::size_t i = 0; i < playback_.arrays().size(); ++i) {
    const NamedArray& array = playback_.arrays()[i];
    if (array.argument == name && array.space == TraceSpace::global)
      return Value{.name = name,
                   .type = array_types_[i],
                   .where = MemoryPlace{TraceSpace::global, 0, array.begin}};
  }
  return built_in(name, moment);
}

Dim3 Inspector::block_of(Focus thread) const {
  return playback_.trace().blocks.at(thread.warp / playback_.trace().warps_in_block());
}

Dim3 Inspector::thread_of(Focus thread) const {
  const Dim3& block = playback_.trace().block;
  const std::uint32_t number = thread.warp % playback_.trace().warps_in_block() * 32 + thread.lane;
  return {number % block.x, number / block.x % block.y, number / block.x / block.y};
}

MemoryPlace Inspector::place_of(std::uint64_t address, const Moment& moment) const {
  if (in_window(address, shared_window))
    return {TraceSpace::shared, moment.focus.warp / playback_.trace().warps_in_block(),
            address - shared_window};
  if (in_window(address, local_window))
    return {TraceSpace::local, moment.focus.warp * 32 + moment.focus.lane, address - local_window};
  return {TraceSpace::global, 0, address};
}

}  // namespace gridstride::sim
