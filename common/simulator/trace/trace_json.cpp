// A trace on its way between processes. Numbers stand in arrays, by place, for there are many.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "common/simulator/trace/trace.h"

namespace gridstride::sim {
namespace {

using nlohmann::json;

json dims(const Dim3& dim) { return {dim.x, dim.y, dim.z}; }

Dim3 dims_of(const json& from) {
  return {from.at(0).get<std::uint32_t>(), from.at(1).get<std::uint32_t>(),
          from.at(2).get<std::uint32_t>()};
}

json op_json(const TraceOp& op) {
  return {op.text,  op.kind,   op.file,    op.line,     op.type, op.bytes, op.seen,
          op.reads, op.writes, op.address, op.function, op.at,   op.added};
}

TraceOp op_of(const json& from) {
  TraceOp op;
  op.text = from.at(0).get<std::string>();
  op.kind = static_cast<TraceKind>(from.at(1).get<std::uint8_t>());
  op.file = from.at(2).get<std::string>();
  op.line = from.at(3).get<std::uint32_t>();
  op.type = from.at(4).get<std::string>();
  op.bytes = from.at(5).get<std::uint32_t>();
  op.seen = from.at(6).get<bool>();
  op.reads = from.at(7).get<std::vector<std::uint32_t>>();
  op.writes = from.at(8).get<std::vector<std::uint32_t>>();
  op.address = from.at(9).get<std::vector<std::uint32_t>>();
  op.function = from.at(10).get<std::uint32_t>();
  op.at = from.at(11).get<std::uint32_t>();
  op.added = from.at(12).get<std::vector<std::uint32_t>>();
  return op;
}

json access_json(const TraceAccess& access) {
  return {access.space,  access.kind,   access.lanes, access.bytes,  access.count,
          access.places, access.values, access.after, access.givers, access.registers};
}

TraceAccess access_of(const json& from) {
  TraceAccess access;
  access.space = static_cast<TraceSpace>(from.at(0).get<std::uint8_t>());
  access.kind = static_cast<TraceKind>(from.at(1).get<std::uint8_t>());
  access.lanes = from.at(2).get<std::uint32_t>();
  access.bytes = from.at(3).get<std::uint32_t>();
  access.count = from.at(4).get<std::uint32_t>();
  access.places = from.at(5).get<std::vector<std::uint64_t>>();
  access.values = from.at(6).get<std::vector<std::uint64_t>>();
  access.after = from.at(7).get<std::vector<std::uint64_t>>();
  access.givers = from.at(8).get<std::vector<std::uint32_t>>();
  access.registers = from.at(9).get<std::vector<std::uint32_t>>();
  return access;
}

json step_json(const TraceStep& step) {
  json accesses = json::array();
  for (const TraceAccess& access : step.accesses) accesses.push_back(access_json(access));
  return {step.op,   step.warp,       step.here,    step.lanes,   step.depth,          step.cycle,
          step.wait, step.barrier,    step.passes,  step.sectors, std::move(accesses), step.results,
          step.from, step.local_base, step.written, step.arrives};
}

TraceStep step_of(const json& from) {
  TraceStep step;
  step.op = from.at(0).get<std::uint32_t>();
  step.warp = from.at(1).get<std::uint32_t>();
  step.here = from.at(2).get<std::uint32_t>();
  step.lanes = from.at(3).get<std::uint32_t>();
  step.depth = from.at(4).get<std::uint32_t>();
  step.cycle = from.at(5).get<double>();
  step.wait = static_cast<TraceWait>(from.at(6).get<std::uint8_t>());
  step.barrier = from.at(7).get<std::uint32_t>();
  step.passes = from.at(8).get<std::uint32_t>();
  step.sectors = from.at(9).get<std::uint32_t>();
  for (const json& access : from.at(10)) step.accesses.push_back(access_of(access));
  step.results = from.at(11).get<std::vector<std::uint64_t>>();
  step.from = from.at(12).get<std::vector<std::uint32_t>>();
  step.local_base = from.at(13).get<std::uint32_t>();
  step.written = from.at(14).get<std::vector<std::uint64_t>>();
  step.arrives = from.at(15).get<double>();
  return step;
}

json texels_json(const TraceTexels& one) {
  return {one.begin,
          one.bytes,
          one.width,
          one.height,
          one.depth,
          one.channels,
          one.channel_bytes,
          one.kind,
          one.layered,
          one.layout.pitch,
          one.layout.slice_bytes,
          one.layout.linear,
          one.objects};
}

TraceTexels texels_of(const json& from) {
  TraceTexels one{from.at(0), from.at(1), from.at(2), from.at(3), from.at(4), from.at(5),
                  from.at(6), 'u',        from.at(8), {},         {}};
  one.kind = static_cast<char>(from.at(7).get<int>());
  one.layout = ArrayLayout::Parts{from.at(9), from.at(10), from.at(11)};
  one.objects = from.at(12).get<std::vector<std::uint64_t>>();
  return one;
}

json type_json(const TraceType& type) {
  json members = json::array();
  for (const TraceType::Member& one : type.members)
    members.push_back({one.name, one.offset, one.type});
  return {type.name, type.kind, type.bytes, type.element, type.count, std::move(members)};
}

TraceType type_of(const json& from) {
  TraceType type{from.at(0), static_cast<TraceType::Kind>(from.at(1).get<std::uint8_t>()),
                 from.at(2), from.at(3),
                 from.at(4), {}};
  for (const json& one : from.at(5)) type.members.push_back({one.at(0), one.at(1), one.at(2)});
  return type;
}

json function_json(const TraceFunction& function) {
  json variables = json::array();
  for (const TraceVariable& one : function.variables) {
    json locations = json::array();
    for (const TraceLocation& at : one.locations)
      locations.push_back({at.begin, at.end, at.kind, at.place});
    variables.push_back(
        {one.name, one.type, one.is_parameter, one.line, one.begin, one.end, std::move(locations)});
  }
  return {function.name, std::move(variables)};
}

TraceFunction function_of(const json& from) {
  TraceFunction function{from.at(0), {}};
  for (const json& one : from.at(1)) {
    TraceVariable variable{one.at(0), one.at(1), one.at(2), one.at(3), one.at(4), one.at(5), {}};
    for (const json& at : one.at(6)) {
      const auto kind = static_cast<TraceLocation::Kind>(at.at(2).get<std::uint8_t>());
      variable.locations.push_back({at.at(0), at.at(1), kind, at.at(3)});
    }
    function.variables.push_back(std::move(variable));
  }
  return function;
}

template <class List, class Make>
json each(const List& list, Make make) {
  json all = json::array();
  for (const auto& one : list) all.push_back(make(one));
  return all;
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

json to_json(const Trace& trace) {
  return {
      {"kernel", trace.kernel},
      {"launch", trace.launch},
      {"grid", dims(trace.grid)},
      {"block", dims(trace.block)},
      {"blocks", each(trace.blocks, dims)},
      {"shared_bytes", trace.shared_bytes},
      {"clock_hz", trace.clock_hz},
      {"parameters", each(trace.parameters,
                          [](const TraceParameter& one) {
                            return json{one.offset, one.bytes, one.value};
                          })},
      {"shared", each(trace.shared,
                      [](const TraceShared& one) {
                        return json{one.name, one.offset, one.bytes};
                      })},
      {"allocations", each(trace.allocations,
                           [](const TraceAllocation& one) {
                             return json{one.begin, one.bytes, one.name, one.title};
                           })},
      {"texels", each(trace.texels, texels_json)},
      {"functions", each(trace.functions, function_json)},
      {"types", each(trace.types, type_json)},
      {"ops", each(trace.ops, op_json)},
      {"steps", each(trace.steps, step_json)},
      {"openings", each(trace.openings,
                        [](const TraceOpening& one) {
                          return json{one.before, one.block, one.barrier, one.warps, one.cycle};
                        })},
      {"findings", each(trace.findings,
                        [](const TraceFinding& one) {
                          return json{one.kind, one.message,    one.file,
                                      one.line, one.other_line, one.step};
                        })},
      {"end", each(trace.end,
                   [](const TraceEnd& one) {
                     return json{one.space, one.block, one.place, one.value};
                   })},
      {"earlier", each(trace.earlier, [](const TraceEarlier& one) { return to_json(one); })},
      {"cut", trace.cut},
      {"reason", trace.reason},
  };
}

Trace trace_of(const json& from) {
  Trace trace;
  try {
    trace.kernel = from.at("kernel").get<std::string>();
    trace.launch = from.at("launch").get<std::uint32_t>();
    trace.grid = dims_of(from.at("grid"));
    trace.block = dims_of(from.at("block"));
    for (const json& one : from.at("blocks")) trace.blocks.push_back(dims_of(one));
    trace.shared_bytes = from.at("shared_bytes").get<std::uint32_t>();
    trace.clock_hz = from.at("clock_hz").get<double>();
    for (const json& one : from.at("parameters"))
      trace.parameters.push_back(
          {one.at(0), one.at(1), one.at(2).get<std::vector<std::uint8_t>>()});
    for (const json& one : from.at("shared"))
      trace.shared.push_back({one.at(0), one.at(1), one.at(2)});
    for (const json& one : from.at("allocations"))
      trace.allocations.push_back({one.at(0), one.at(1), one.at(2), one.at(3)});
    for (const json& one : from.at("texels")) trace.texels.push_back(texels_of(one));
    for (const json& one : from.at("functions")) trace.functions.push_back(function_of(one));
    for (const json& one : from.at("types")) trace.types.push_back(type_of(one));
    for (const json& one : from.at("ops")) trace.ops.push_back(op_of(one));
    for (const json& one : from.at("steps")) trace.steps.push_back(step_of(one));
    for (const json& one : from.at("openings"))
      trace.openings.push_back({one.at(0), one.at(1), one.at(2), one.at(3), one.at(4)});
    for (const json& one : from.at("findings"))
      trace.findings.push_back({one.at(0), one.at(1), one.at(2), one.at(3), one.at(4), one.at(5)});
    for (const json& one : from.at("end"))
      trace.end.push_back({static_cast<TraceSpace>(one.at(0).get<std::uint8_t>()), one.at(1),
                           one.at(2), one.at(3)});
    for (const json& one : from.at("earlier"))
      trace.earlier.push_back(
          {one.at(0), {one.at(1), one.at(2), dims_of(one.at(3)), dims_of(one.at(4)), one.at(5)}});
    trace.cut = from.at("cut").get<bool>();
    trace.reason = from.at("reason").get<std::string>();
  } catch (const json::exception& error) {
    throw TraceError(std::string("this is no trace: ") + error.what());
  }
  check(trace);
  return trace;
}

json to_json(const TraceEarlier& earlier) {
  const TraceWriter& writer = earlier.writer;
  return json{earlier.place,     writer.launch,      writer.kernel,
              dims(writer.grid), dims(writer.block), writer.thread};
}

json to_json(const TraceRequest& request) {
  return {{"file", request.file},
          {"kernel", request.kernel},
          {"launch", request.launch},
          {"blocks", each(request.blocks, dims)},
          {"most_steps", request.most_steps},
          {"most_bytes", request.most_bytes},
          {"registers", request.registers},
          {"survey", request.survey},
          {"argument", request.argument},
          {"byte", request.byte},
          {"places", request.places},
          {"until", request.until}};
}

TraceRequest trace_request_of(const json& from) {
  TraceRequest request;
  try {
    request.file = from.at("file").get<std::string>();
    request.kernel = from.at("kernel").get<std::string>();
    request.launch = from.at("launch").get<std::int64_t>();
    for (const json& one : from.at("blocks")) request.blocks.push_back(dims_of(one));
    request.most_steps = from.at("most_steps").get<std::uint64_t>();
    request.most_bytes = from.at("most_bytes").get<std::uint64_t>();
    request.registers = from.at("registers").get<bool>();
    request.survey = from.at("survey").get<bool>();
    request.argument = from.at("argument").get<std::int64_t>();
    request.byte = from.at("byte").get<std::uint64_t>();
    request.places = from.at("places").get<std::vector<std::uint64_t>>();
    request.until = from.at("until").get<std::int64_t>();
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
