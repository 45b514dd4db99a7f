// How many warp instructions a second the arithmetic handlers run, without the interpreter around
// them: items a second are warp instructions.
//   ops_bench --benchmark_filter=fma
#include <benchmark/benchmark.h>

#include "common/simulator/isa/arithmetic/ops_test_machine.h"

namespace gridstride::sim {
namespace {

void run(benchmark::State& state, const char* line, LaneMask mask) {
  TestMachine machine;
  for (const char* name : {"%r1", "%r2", "%r3", "%f1", "%f2", "%f3"}) machine.set(name, 0x3f8ccccd);
  for (const char* name : {"%l1", "%l2", "%d1", "%d2", "%d3"})
    machine.set(name, 0x3ff199999999999a);
  const Inst* const inst = machine.decode(line);
  if (inst == nullptr) return state.SkipWithError("refused");
  for (auto _ : state) machine.run(*inst, mask);
  state.SetItemsProcessed(state.iterations());
}

constexpr const char* lines[] = {
    "add.s32 %r0, %r1, %r2;",
    "add.s64 %l0, %l1, %l2;",
    "mad.lo.s32 %r0, %r1, %r2, %r3;",
    "mul.wide.s32 %l0, %r1, %r2;",
    "div.s32 %r0, %r1, %r2;",
    "shl.b32 %r0, %r1, %r2;",
    "lop3.b32 %r0, %r1, %r2, %r3, 0x96;",
    "setp.lt.s32 %p0, %r1, %r2;",
    "setp.lt.f64 %p0, %d1, %d2;",
    "selp.f32 %f0, %f1, %f2, %p1;",
    "add.f32 %f0, %f1, %f2;",
    "fma.rn.f32 %f0, %f1, %f2, %f3;",
    "fma.rm.f32 %f0, %f1, %f2, %f3;",
    "fma.rn.f64 %d0, %d1, %d2, %d3;",
    "min.f32 %f0, %f1, %f2;",
    "div.rn.f32 %f0, %f1, %f2;",
    "sqrt.rn.f32 %f0, %f1;",
    "rsqrt.approx.f32 %f0, %f1;",
    "ex2.approx.ftz.f32 %f0, %f1;",
    "sin.approx.f32 %f0, %f1;",
    "mov.u32 %r0, %r1;",
    "mov.b64 %l0, {%r1, %r2};",
    "cvt.rn.f32.s32 %f0, %r1;",
    "cvt.rzi.s32.f32 %r0, %f1;",
    "cvt.s64.s32 %l0, %r1;",
    "cvt.f64.f32 %d0, %f1;",
    "fma.rn.f16x2 %r0, %r1, %r2, %r3;",
    "popc.b32 %r0, %r1;",
};

}  // namespace
}  // namespace gridstride::sim

int main(int count, char** arguments) {
  using namespace gridstride::sim;
  for (const char* line : lines) {
    benchmark::RegisterBenchmark((std::string(line) + " full").c_str(), run, line, full_mask);
    benchmark::RegisterBenchmark((std::string(line) + " half").c_str(), run, line,
                                 LaneMask{0x5555aaaa});
  }
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
