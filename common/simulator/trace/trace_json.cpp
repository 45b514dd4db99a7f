// A trace on its way between processes. Numbers stand in arrays, by place, for there are many.
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/simulator/trace/trace.h"

namespace gridstride::sim {
namespace {

using nlohmann::json;

template <class T, class Plain>
concept Is = std::same_as<std::remove_const_t<T>, Plain>;

/// What of each part is kept, in which order: told once, to whoever writes and to whoever reads.
void fields(auto& all, Is<Dim3> auto& dim) { all(dim.x, dim.y, dim.z); }

void fields(auto& all, Is<TraceOp> auto& op) {
  all(op.text, op.kind, op.file, op.line, op.type, op.bytes, op.seen, op.reads, op.writes,
      op.address, op.function, op.at, op.added);
}

void fields(auto& all, Is<TraceAccess> auto& access) {
  all(access.space, access.kind, access.lanes, access.bytes, access.count, access.places,
      access.values, access.after, access.givers, access.registers);
}

void fields(auto& all, Is<TraceStep> auto& step) {
  all(step.op, step.warp, step.here, step.lanes, step.depth, step.cycle, step.wait, step.barrier,
      step.passes, step.sectors, step.accesses, step.results, step.from, step.local_base,
      step.written, step.arrives);
}

void fields(auto& all, Is<TraceTexels> auto& one) {
  all(one.begin, one.bytes, one.width, one.height, one.depth, one.channels, one.channel_bytes,
      one.kind, one.layered, one.layout.pitch, one.layout.slice_bytes, one.layout.linear,
      one.objects);
}

void fields(auto& all, Is<TraceType::Member> auto& one) { all(one.name, one.offset, one.type); }

void fields(auto& all, Is<TraceType> auto& type) {
  all(type.name, type.kind, type.bytes, type.element, type.count, type.members);
}

void fields(auto& all, Is<TraceLocation> auto& at) { all(at.begin, at.end, at.kind, at.place); }

void fields(auto& all, Is<TraceVariable> auto& one) {
  all(one.name, one.type, one.is_parameter, one.line, one.begin, one.end, one.locations);
}

void fields(auto& all, Is<TraceFunction> auto& function) { all(function.name, function.variables); }

void fields(auto& all, Is<TraceParameter> auto& one) { all(one.offset, one.bytes, one.value); }

void fields(auto& all, Is<TraceShared> auto& one) { all(one.name, one.offset, one.bytes); }

void fields(auto& all, Is<TraceAllocation> auto& one) {
  all(one.begin, one.bytes, one.name, one.title);
}

void fields(auto& all, Is<TraceOpening> auto& one) {
  all(one.before, one.block, one.barrier, one.warps, one.cycle);
}

void fields(auto& all, Is<TraceFinding> auto& one) {
  all(one.kind, one.message, one.file, one.line, one.other_line, one.step);
}

void fields(auto& all, Is<TraceEnd> auto& one) { all(one.space, one.block, one.place, one.value); }

void fields(auto& all, Is<TraceEarlier> auto& one) {
  all(one.place, one.writer.launch, one.writer.kernel, one.writer.grid, one.writer.block,
      one.writer.thread);
}

void fields(auto& all, Is<Trace> auto& trace) {
  all.named("kernel", trace.kernel);
  all.named("launch", trace.launch);
  all.named("grid", trace.grid);
  all.named("block", trace.block);
  all.named("blocks", trace.blocks);
  all.named("shared_bytes", trace.shared_bytes);
  all.named("clock_hz", trace.clock_hz);
  all.named("parameters", trace.parameters);
  all.named("shared", trace.shared);
  all.named("allocations", trace.allocations);
  all.named("texels", trace.texels);
  all.named("functions", trace.functions);
  all.named("types", trace.types);
  all.named("ops", trace.ops);
  all.named("steps", trace.steps);
  all.named("openings", trace.openings);
  all.named("findings", trace.findings);
  all.named("end", trace.end);
  all.named("earlier", trace.earlier);
  all.named("cut", trace.cut);
  all.named("reason", trace.reason);
}

void fields(auto& all, Is<TraceRequest> auto& request) {
  all.named("file", request.file);
  all.named("kernel", request.kernel);
  all.named("launch", request.launch);
  all.named("blocks", request.blocks);
  all.named("most_steps", request.most_steps);
  all.named("most_bytes", request.most_bytes);
  all.named("registers", request.registers);
  all.named("survey", request.survey);
  all.named("argument", request.argument);
  all.named("byte", request.byte);
  all.named("places", request.places);
  all.named("until", request.until);
}

// Of the JSON library's templates only these are used, each in one place: they take long to compile.
json written(const std::string& text) { return text; }
json written(bool truth) { return truth; }
json written(std::uint64_t number) { return number; }
json written(std::int64_t number) { return number; }
json written(double number) { return number; }
void append(json& row, json value) { row.push_back(std::move(value)); }

void read(const json& from, std::string& text) { text = from.get<std::string>(); }
void read(const json& from, bool& truth) { truth = from.get<bool>(); }
void read(const json& from, double& number) { number = from.get<double>(); }
std::uint64_t natural(const json& from) { return from.get<std::uint64_t>(); }
std::int64_t integer(const json& from) { return from.get<std::int64_t>(); }
const json& at(const json& row, std::size_t index) { return row.at(index); }
const json& at(const json& object, const char* name) { return object.at(name); }

template <class T>
json written(const T& value);
template <class T>
json written(const std::vector<T>& list) {
  json row = json::array();
  for (const T& one : list) append(row, written(one));
  return row;
}

template <class T>
void read(const json& from, T& value);
template <class T>
void read(const json& from, std::vector<T>& list) {
  list.reserve(from.size());
  for (const json& one : from) read(one, list.emplace_back());
}

struct Writer {
  json to;
  template <class... Values>
  void operator()(const Values&... values) {
    (append(to, written(values)), ...);
  }
  template <class Value>
  void named(const char* name, const Value& value) {
    to[name] = written(value);
  }
};

struct Reader {
  const json& from;
  std::size_t next = 0;
  template <class... Values>
  void operator()(Values&... values) {
    (read(at(from, next++), values), ...);
  }
  template <class Value>
  void named(const char* name, Value& value) {
    read(at(from, name), value);
  }
};

template <class T>
json written(const T& value) {
  if constexpr (std::is_enum_v<T> || std::is_unsigned_v<T> || std::is_same_v<T, char>) {
    return written(static_cast<std::uint64_t>(value));
  } else if constexpr (std::is_integral_v<T>) {
    return written(static_cast<std::int64_t>(value));
  } else {
    Writer writer;
    fields(writer, value);
    return std::move(writer.to);
  }
}

template <class T>
void read(const json& from, T& value) {
  if constexpr (std::is_enum_v<T> || std::is_unsigned_v<T> || std::is_same_v<T, char>) {
    value = static_cast<T>(natural(from));
  } else if constexpr (std::is_integral_v<T>) {
    value = static_cast<T>(integer(from));
  } else {
    Reader reader{from};
    fields(reader, value);
  }
}

/// What the rest of a trace relies on.
void check(const Trace& trace) {
  const auto is_type = [&](std::int32_t type) {
    return type < 0 || static_cast<std::size_t>(type) < trace.types.size();
  };
  for (const TraceOp& op : trace.ops) {
    if (op.function >= trace.functions.size())
      throw TraceError("an instruction of the trace is of no function");
  }
  for (const TraceType& type : trace.types) {
    const bool good = is_type(type.element) &&
                      std::ranges::all_of(type.members, is_type, &TraceType::Member::type);
    if (!good) throw TraceError("a type of the trace is made of no type");
  }
  for (const TraceTexels& one : trace.texels) {
    if (one.elements() == 0 || one.layout.pitch == 0 || one.layout.slice_bytes == 0 ||
        one.channel_bytes == 0)
      throw TraceError("an array of texels of the trace is empty");
  }
  for (const TraceFunction& function : trace.functions) {
    if (!std::ranges::all_of(function.variables, is_type, &TraceVariable::type))
      throw TraceError("a variable of the trace is of no type");
  }
  for (const TraceStep& step : trace.steps) {
    if (step.op >= trace.ops.size() || step.warp >= trace.blocks.size() * trace.warps_in_block())
      throw TraceError("a step of the trace is of no instruction or no warp");
    const std::size_t writes = trace.ops[step.op].writes.size();
    if (!step.written.empty() &&
        step.written.size() != writes * static_cast<std::size_t>(__builtin_popcount(step.lanes)))
      throw TraceError("a step of the trace has no value for each register that it writes");
    for (const TraceAccess& access : step.accesses) {
      const auto lanes = static_cast<std::size_t>(__builtin_popcount(access.lanes));
      const std::size_t values = access.values.size();
      if (access.places.size() != lanes || (values != 0 && values != lanes * access.count))
        throw TraceError("an access of the trace has no place for each lane");
      const bool fits = (access.after.empty() || access.after.size() == values) &&
                        (access.givers.empty() || access.givers.size() == lanes) &&
                        (access.registers.empty() || access.registers.size() == access.count);
      if (!fits || access.bytes == 0 || access.count == 0)
        throw TraceError("an access of the trace has no value for each element");
    }
  }
}

}  // namespace

json to_json(const Trace& trace) { return written(trace); }

Trace trace_of(const json& from) {
  Trace trace;
  try {
    read(from, trace);
  } catch (const json::exception& error) {
    throw TraceError(std::string("this is no trace: ") + error.what());
  }
  check(trace);
  return trace;
}

json to_json(const TraceEarlier& earlier) { return written(earlier); }

json to_json(const TraceRequest& request) { return written(request); }

TraceRequest trace_request_of(const json& from) {
  TraceRequest request;
  try {
    read(from, request);
  } catch (const json::exception& error) {
    throw TraceError(std::string("this asks for no trace: ") + error.what());
  }
  return request;
}

const char* name_of(TraceKind kind) {
  constexpr std::array<const char*, 13> names{"compute", "load",     "store",   "atomic", "shuffle",
                                              "vote",    "syncwarp", "barrier", "arrive", "branch",
                                              "exit",    "copy",     "product"};
  return names.at(static_cast<std::size_t>(kind));
}

const char* name_of(TraceWait wait) {
  constexpr std::array<const char*, 7> names{"none",    "memory", "shared memory", "dependency",
                                             "barrier", "branch", "pipe"};
  return names.at(static_cast<std::size_t>(wait));
}

const char* name_of(TraceSpace space) {
  constexpr std::array<const char*, 3> names{"global", "shared", "local"};
  return names.at(static_cast<std::size_t>(space));
}

}  // namespace gridstride::sim
