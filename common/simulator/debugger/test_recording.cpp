// See the header.
#include "common/simulator/debugger/test_recording.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/simulator/base/address_spaces.h"

namespace gridstride::sim {
namespace {

using Kind = TraceType::Kind;
using Where = TraceLocation::Kind;

constexpr const char* text = R"(struct Pair { int first; float second; };
__device__ float twice(float* p, int i) {
  float v = p[i];
  return v + v;
}
__global__ void work(const float* in, float* out, int n, Pair pair) {
  __shared__ float tile[8][8];
  int s = 1;
  tile[0][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  // what follows is called
  float d = twice(tile[0], s);
  if (threadIdx.x < 2) {
    int s = 7;
    out[threadIdx.x] = d + s;
  }
  float history[2] = {d, d};
  d += 1;
}
)";

std::uint64_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

enum TypeNumber : std::int32_t { t_int, t_float, t_in, t_out, t_pair, t_row, t_tile, t_history };

std::vector<TraceType> types() {
  return {{"int", Kind::signed_integer, 4, -1, 0, {}},
          {"float", Kind::floating, 4, -1, 0, {}},
          {"const float*", Kind::pointer, 8, t_float, 0, {}},
          {"float*", Kind::pointer, 8, t_float, 0, {}},
          {"Pair", Kind::structure, 8, -1, 0, {{"first", 0, t_int}, {"second", 4, t_float}}},
          {"float[8]", Kind::array, 32, t_float, 8, {}},
          {"float[8][8]", Kind::array, 256, t_row, 8, {}},
          {"float[2]", Kind::array, 8, t_float, 2, {}}};
}

/// Registers of work(): 1 s, 2 what in[threadIdx.x] is, 3 d, 4 the inner s, 5 a predicate. Of twice(): 1 p, 2 i,
/// 3 v, 4 v + v.
std::vector<TraceFunction> functions() {
  const auto parameter = [](const char* name, std::int32_t type, std::vector<TraceLocation> at) {
    return TraceVariable{name, type, true, 6, 0, 100, std::move(at)};
  };
  const auto in_register = [](std::uint32_t begin, std::uint32_t end, std::uint64_t number) {
    return std::vector<TraceLocation>{{begin, end, Where::reg, number}};
  };
  return {{"(anonymous namespace)::work(float const*, float*, int, Pair)",
           {parameter("in", t_in, {}),
            parameter("out", t_out, {}),
            parameter("n", t_int, {}),
            parameter("pair", t_pair, {}),
            {"tile", t_tile, false, 7, 0, 100, {{0, 100, Where::shared, 0}}},
            {"s", t_int, false, 8, 0, 100, in_register(1, 100, 1)},
            {"d", t_float, false, 12, 4, 100, in_register(6, 100, 3)},
            {"s", t_int, false, 14, 8, 10, in_register(9, 10, 4)},
            {"history", t_history, false, 17, 10, 100, {{10, 100, Where::local, 16}}}}},
          {"(anonymous namespace)::twice(float*, int)",
           {parameter("p", t_out, in_register(0, 100, 1)),
            parameter("i", t_int, in_register(0, 100, 2)),
            {"v", t_float, false, 3, 0, 100, in_register(2, 100, 3)}}}};
}

/// Numbers in Trace::ops.
enum OpNumber : std::uint32_t {
  set_s,
  load_in,
  store_tile,
  barrier,
  call,
  enter,
  load_v,
  add_v,
  leave,
  get_d,
  compare,
  set_inner,
  store_out,
  store_history,
  increment,
  exit_kernel
};

std::vector<TraceOp> ops() {
  std::vector<TraceOp> all;
  const auto add = [&](const char* name, TraceKind kind, std::uint32_t function, std::uint32_t at,
                       std::uint32_t line, std::vector<std::uint32_t> writes) {
    TraceOp op;
    op.text = name;
    op.kind = kind;
    op.function = function;
    op.at = at;
    op.file = line == 0 ? "" : worked_file;
    op.line = line;
    op.type = "f32";
    op.bytes = 4;
    op.writes = std::move(writes);
    all.push_back(std::move(op));
  };
  add("mov.u32 %r1, 1", TraceKind::compute, 0, 0, 8, {1});
  add("ld.global.f32 %f2", TraceKind::load, 0, 1, 9, {2});
  add("st.shared.f32 %f2", TraceKind::store, 0, 2, 9, {});
  add("bar.sync 0", TraceKind::barrier, 0, 3, 10, {});
  add("call twice", TraceKind::compute, 0, 4, 12, {});
  add("ld.param", TraceKind::compute, 1, 0, 2, {1, 2});
  add("ld.f32 %f3", TraceKind::load, 1, 1, 3, {3});
  add("add.f32 %f4", TraceKind::compute, 1, 2, 4, {4});
  add("ret", TraceKind::compute, 1, 3, 5, {});
  add("mov.f32 %f3", TraceKind::compute, 0, 5, 12, {3});
  add("setp %p5", TraceKind::branch, 0, 6, 13, {5});
  add("mov.u32 %r4, 7", TraceKind::compute, 0, 8, 14, {4});
  add("st.global.f32", TraceKind::store, 0, 9, 15, {});
  add("st.local.f32", TraceKind::store, 0, 10, 17, {});
  add("add.f32 %f3", TraceKind::compute, 0, 11, 18, {3});
  add("ret", TraceKind::exit, 0, 12, 19, {});
  return all;
}

class Maker {
 public:
  explicit Maker(Trace& trace) : trace_(trace) {}

  TraceStep& step(std::uint32_t op, std::uint32_t warp, std::uint32_t lanes,
                  std::vector<std::uint64_t> written = {}) {
    TraceStep one;
    one.op = op;
    one.warp = warp;
    one.here = one.lanes = lanes;
    one.depth = trace_.ops[op].function;
    one.cycle = cycle_++;
    one.local_base = 64;
    one.written = std::move(written);
    trace_.steps.push_back(std::move(one));
    return trace_.steps.back();
  }
  void access(TraceStep& step, TraceSpace space, std::vector<std::uint64_t> places,
              std::vector<std::uint64_t> values) {
    const TraceOp& op = trace_.ops[step.op];
    step.accesses.push_back({space,
                             op.kind,
                             step.lanes,
                             op.bytes,
                             static_cast<std::uint32_t>(values.size() / places.size()),
                             std::move(places),
                             std::move(values),
                             {}});
  }

 private:
  Trace& trace_;
  double cycle_ = 0;
};

std::vector<std::uint64_t> four(std::uint64_t first, std::uint64_t stride) {
  return {first, first + stride, first + 2 * stride, first + 3 * stride};
}

}  // namespace

const char* const worked_file = "/labs/work.cu";

Trace worked() {
  Trace trace;
  trace.kernel = "(anonymous namespace)::work(float const*, float*, int, Pair)";
  trace.grid = {2, 1, 1};
  trace.block = {64, 1, 1};
  trace.blocks = {{1, 0, 0}};
  trace.shared_bytes = 256;
  const auto pointer = [](std::uint64_t offset, std::uint8_t page) {
    return TraceParameter{offset, 8, {0, page, 0, 0, 0, 10, 0, 0}};
  };
  trace.parameters = {
      pointer(0, 0), pointer(8, 4), {16, 4, {5, 0, 0, 0}}, {20, 8, {3, 0, 0, 0, 0, 0, 0, 0x40}}};
  trace.allocations = {{worked_in, 256, "", "the 1st cudaMalloc"},
                       {worked_out, 256, "", "the 2nd cudaMalloc"}};
  trace.shared = {{"tile", 0, 256}};
  trace.types = types();
  trace.functions = functions();
  trace.ops = ops();
  Maker make(trace);
  constexpr std::uint32_t lanes = 0xf;
  for (const std::uint32_t warp : {0u, 1u}) {
    make.step(set_s, warp, lanes, {1, 1, 1, 1});
    const float first = warp == 0 ? 10.0F : 20.0F;
    const std::vector<std::uint64_t> values = {bits(first), bits(first + 1), bits(first + 2),
                                               bits(first + 3)};
    make.access(make.step(load_in, warp, lanes, values), TraceSpace::global,
                four(worked_in + 128 * warp, 4), values);
    make.access(make.step(store_tile, warp, lanes), TraceSpace::shared, four(128 * warp, 4),
                values);
    make.step(barrier, warp, lanes);
  }
  trace.openings.push_back({static_cast<std::uint32_t>(trace.steps.size()), 0, 0, 3, 8});
  for (const std::uint32_t warp : {0u, 1u}) {
    make.step(call, warp, lanes);
    make.step(enter, warp, lanes,
              {shared_window, shared_window, shared_window, shared_window, 1, 1, 1, 1});
    const auto each = [](float value) { return std::vector<std::uint64_t>(4, bits(value)); };
    make.access(make.step(load_v, warp, lanes, each(11)), TraceSpace::shared, four(4, 0), each(11));
    make.step(add_v, warp, lanes, each(22));
    make.step(leave, warp, lanes);
    make.step(get_d, warp, lanes, each(22));
    make.step(compare, warp, lanes, {1, 1, 0, 0});
    if (warp == 0) {
      make.step(set_inner, warp, 3, {7, 7});
      make.access(make.step(store_out, warp, 3), TraceSpace::global, {worked_out, worked_out + 4},
                  {bits(29), bits(29)});
    }
    TraceStep& history = make.step(store_history, warp, lanes);
    history.accesses.push_back({TraceSpace::local,
                                TraceKind::store,
                                lanes,
                                4,
                                2,
                                four(80, 0),
                                std::vector<std::uint64_t>(8, bits(22)),
                                {}});
    make.step(increment, warp, lanes, each(23));
    make.step(exit_kernel, warp, lanes);
  }
  return trace;
}

Trace worked_with_finding() {
  Trace trace = worked();
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    if (trace.steps[i].warp != 1 || trace.steps[i].op != load_v) continue;
    trace.findings.push_back({"race",
                              "tile: thread (33, 0, 0) of block (1, 0, 0) reads it too early",
                              worked_file, 3, 0, static_cast<std::int64_t>(i)});
  }
  return trace;
}

Playback played(Trace trace) {
  Watched watched;
  watched.title = "work.cu";
  watched.sources[worked_file] = text;
  return {std::move(trace), std::move(watched)};
}

}  // namespace gridstride::sim
