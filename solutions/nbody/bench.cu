// Every solution beside the way of NVIDIA's nbody sample: tiles in shared memory, one body a
// thread.
//
// Runs on a real GPU (`./lab bench nbody`); grader/bench/bench.h says how it is timed. Results of
// two kernels differ in rounding, so each is held to the exact ones of some bodies, and to the
// contract's bound.
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "grader/bench/bench.h"
#include "labs/nbody/exact.hpp"
#include "labs/nbody/nbody.h"

namespace {

using gridstride::Bench;
using gridstride::BenchRow;
using gridstride::check_cuda;
using nbody::Float4;

constexpr float softening = 0.05f, dt = 0.01f;
constexpr int tile = 256;

/// What the sample does, in our words: rsqrtf, a fully unrolled tile, whole tiles only.
__global__ void __launch_bounds__(tile)
    sample_tiles(const Float4* bodies, Float4* acceleration, int n, float square) {
  __shared__ Float4 shared[tile];
  const int i = blockIdx.x * tile + threadIdx.x;
  const Float4 here = bodies[i];
  Float4 sum{};
  for (int first = 0; first < n; first += tile) {
    shared[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
#pragma unroll 128
    for (int j = 0; j < tile; ++j) {
      const Float4 there = shared[j];
      const float dx = there.x - here.x, dy = there.y - here.y, dz = there.z - here.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + square);
      const float strength = there.w * (inverse * inverse * inverse);
      sum.x += dx * strength;
      sum.y += dy * strength;
      sum.z += dz * strength;
    }
    __syncthreads();
  }
  acceleration[i] = sum;
}

/// n bodies in a cube, then as many velocities.
std::vector<Float4> cloud(int n) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> place(-1, 1), mass(0.25f, 1);
  std::vector<Float4> state(2 * n);
  for (int i = 0; i < n; ++i) {
    state[i] = {place(random), place(random), place(random), mass(random) / static_cast<float>(n)};
    state[n + i] = {place(random), place(random), place(random), 0};
  }
  return state;
}

void require_right(const std::string& name, const std::vector<Float4>& bodies, const Float4* out) {
  std::vector<Float4> got(bodies.size());
  check_cuda(cudaMemcpy(got.data(), out, got.size() * sizeof(Float4), cudaMemcpyDeviceToHost),
             name);
  const double roundings = nbody::roundings(bodies);
  for (std::size_t i = 0; i < bodies.size(); i += bodies.size() / 64 + 1) {
    const nbody::Pull right = nbody::pull_at(nbody::exact(bodies[i]), bodies, softening, roundings);
    if (!(nbody::exact(got[i]) - right.acceleration).below(right.bound))
      throw std::runtime_error(name + ": body " + std::to_string(i) + " is beyond the bound");
  }
}

void add_accelerations(Bench& bench, int n) {
  const cudaStream_t stream = bench.stream();
  const std::vector<Float4> state = cloud(n), bodies(state.begin(), state.begin() + n);
  Float4 *in = bench.allocate<Float4>(n), *out = bench.allocate<Float4>(n);
  const gridstride::Scratch scratch = bench.scratch(nbody::scratch_bytes(n));
  check_cuda(cudaMemcpy(in, bodies.data(), bodies.size() * sizeof(Float4), cudaMemcpyHostToDevice),
             "copying the bodies");

  BenchRow row{.operations = static_cast<double>(n) * n, .operation = "interactions"};
  const auto add = [&](const std::string& name) {
    check_cuda(cudaMemset(out, 0xff, n * sizeof(Float4)), "spoiling the output");
    row.launch();
    check_cuda(cudaStreamSynchronize(stream), name);
    require_right(name, bodies, out);
    row.name = std::to_string(n) + "/" + name;
    bench.add(row);
  };
  for (const char* stage :
       {"0_baseline", "1_shared_tile", "2_unrolled_rsqrt", "3_register_blocked"}) {
    auto* accelerate = bench.stage<decltype(::accelerate)>(stage, "accelerate");
    row.launch = [=] { accelerate(in, out, n, softening, scratch, stream); };
    add(stage);
  }
  row.launch = [=] {
    sample_tiles<<<n / tile, tile, 0, stream>>>(in, out, n, softening * softening);
  };
  row.library = true;
  add("as NVIDIA's sample");
}

/// What stage 4 is graded by: four steps, of which the baseline evaluates the accelerations twice
/// each, stage 4 once, and once more in the beginning.
void add_steps(Bench& bench, int n) {
  constexpr int steps = 4;
  const cudaStream_t stream = bench.stream();
  const std::vector<Float4> state = cloud(n);
  Float4 *start = bench.allocate<Float4>(2 * n), *path = bench.allocate<Float4>(2 * n * steps);
  const gridstride::Scratch scratch = bench.scratch(nbody::scratch_bytes(n));
  check_cuda(cudaMemcpy(start, state.data(), state.size() * sizeof(Float4), cudaMemcpyHostToDevice),
             "copying the bodies");
  const auto add = [&](const std::string& stage, int evaluations) {
    auto* advance = bench.stage<decltype(::advance)>(stage, "advance");
    bench.add({.name = std::to_string(n) + ", 4 steps/" + stage,
               .operations = evaluations * static_cast<double>(n) * n,
               .operation = "interactions",
               .launch = [=] { advance(start, path, n, steps, dt, softening, scratch, stream); }});
  };
  add("0_baseline", 2 * steps);
  add("4_leapfrog", steps + 1);
}

void add_rows(Bench& bench) {
  for (const int n : {16384, 65536, 262144}) add_accelerations(bench, n);
  add_steps(bench, 32768);
}

}  // namespace

int main(int argc, char** argv) { return gridstride::run_bench("nbody", argc, argv, add_rows); }
