// Every solution beside what a user would otherwise pick: cublasSgemv for a sweep, for a sweep is a
// product of a matrix and a vector and little else. For solve() and relax() there is no library;
// the baseline stands beside them.
//
// Runs on a real GPU (`./lab bench jacobi`); grader/bench/bench.h says how it is timed.
//
// Links: cublas
#include <cublas_v2.h>

#include <stdexcept>
#include <string>

#include "grader/bench/bench.h"
#include "labs/jacobi/jacobi.h"

namespace {

using gridstride::Bench;
using gridstride::BenchRow;
using gridstride::check_cuda;
using gridstride::Scratch;
using gridstride::Traffic;
using jacobi::Method;
using jacobi::Outcome;

void check_cublas(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string("cublas: ") + cublasGetStatusString(status));
}

/// Puts `value` into the diagonal of an n x n matrix.
__global__ void set_diagonal(float* a, std::int64_t n, float value) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) a[i * n + i] = value;
}

/// Whole numbers from -8 to 8 become numbers from 0.5 to 1.5.
__global__ void make_positive(float* values, std::int64_t n) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x)
    values[i] = 1 + values[i] / 16;
}

/// A sweep of Richardson's method with alpha = 1/4, in which nothing is rounded.
void add_sweeps(Bench& bench, const float* a, const float* f, const float* x, std::int64_t n) {
  constexpr float alpha = 0.25f;
  const cudaStream_t stream = bench.stream();
  const Scratch scratch = bench.scratch(jacobi::scratch_bytes(n));
  float *next = bench.allocate<float>(n), *expected = bench.allocate<float>(n);
  float* product = bench.allocate<float>(n);
  const auto sweep_of = [&](const char* stage) {
    return bench.stage<decltype(sweep)>(stage, "sweep");
  };
  sweep_of("0_baseline")(a, n, f, x, expected, n, Method::richardson, alpha, scratch, stream);
  check_cuda(cudaStreamSynchronize(stream), "the baseline's sweep");

  const std::string size = std::to_string(n) + "/";
  BenchRow row{.bytes = 4.0 * static_cast<double>(n) * static_cast<double>(n),
               .traffic = Traffic::reads,
               .results = {{next, expected, static_cast<std::size_t>(n) * sizeof(float)}}};
  for (const char* stage : {"0_baseline", "1_warp_per_row", "2_vectorized"}) {
    const auto run = sweep_of(stage);
    row.name = size + stage;
    row.launch = [=] { run(a, n, f, x, next, n, Method::richardson, alpha, scratch, stream); };
    bench.add(row);
  }
  cublasHandle_t cublas;
  check_cublas(cublasCreate(&cublas));  // given back with the process
  check_cublas(cublasSetStream(cublas, stream));
  row.name = size + "cublasSgemv (A x alone)";
  row.library = true;
  row.results.clear();
  row.launch = [=] {
    const float one = 1, zero = 0;
    // Rows of ours are columns of cuBLAS's.
    check_cublas(cublasSgemv(cublas, CUBLAS_OP_T, static_cast<int>(n), static_cast<int>(n), &one, a,
                             static_cast<int>(n), x, 1, &zero, product, 1));
  };
  bench.add(row);
}

/// A system that Jacobi's method solves in some twenty sweeps.
void add_solves(Bench& bench, float* a, float* f, std::int64_t n) {
  const cudaStream_t stream = bench.stream();
  const Scratch scratch = bench.scratch(jacobi::scratch_bytes(n));
  make_positive<<<1024, 256, 0, stream>>>(a, n * n);
  make_positive<<<16, 256, 0, stream>>>(f, n);
  set_diagonal<<<static_cast<unsigned>(n / 256 + 1), 256, 0, stream>>>(
      a, n, 1.5f * static_cast<float>(n));
  float* x = bench.allocate<float>(n);
  Outcome* outcome = bench.allocate<Outcome>(1);
  for (const char* stage : {"0_baseline", "3_stop"}) {
    const auto run = bench.stage<decltype(solve)>(stage, "solve");
    BenchRow row{.name = std::to_string(n) + "/solve/" + stage,
                 .bytes = 4.0 * static_cast<double>(n) * static_cast<double>(n),
                 .traffic = Traffic::reads};
    row.launch = [=] {
      check_cuda(cudaMemsetAsync(x, 0, static_cast<std::size_t>(n) * sizeof(float), stream), "x");
      run(a, n, f, x, outcome, n, Method::jacobi, 0, 1e-3f, 1000, scratch, stream);
    };
    bench.add(row);
  }
}

void add_relaxations(Bench& bench, const float* start, std::int64_t side) {
  constexpr int sweeps = 16;
  const cudaStream_t stream = bench.stream();
  const Scratch scratch = bench.scratch(jacobi::scratch_bytes(side * side));
  float *result = bench.allocate<float>(side * side),
        *expected = bench.allocate<float>(side * side);
  const auto relax_of = [&](const char* stage) {
    return bench.stage<decltype(relax)>(stage, "relax");
  };
  relax_of("0_baseline")(start, expected, side, side, sweeps, scratch, stream);
  check_cuda(cudaStreamSynchronize(stream), "the baseline's sweeps");
  for (const char* stage : {"0_baseline", "4_stencil"}) {
    const auto run = relax_of(stage);
    bench.add(
        {.name = std::to_string(side) + "^2, 16 sweeps/" + stage,
         .bytes = 8.0 * static_cast<double>(side * side),
         .traffic = Traffic::copies,
         .launch = [=] { run(start, result, side, side, sweeps, scratch, stream); },
         .results = {{result, expected, static_cast<std::size_t>(side * side) * sizeof(float)}}});
  }
}

void add_rows(Bench& bench) {
  constexpr std::int64_t largest = 16384;
  const cudaStream_t stream = bench.stream();
  float* a = bench.allocate<float>(largest * largest);
  float *f = bench.allocate<float>(largest), *x = bench.allocate<float>(largest);
  gridstride::fill_with_whole_numbers(a, largest * largest, stream);
  gridstride::fill_with_whole_numbers(f, largest, stream);
  gridstride::fill_with_whole_numbers(x, largest, stream);
  add_sweeps(bench, a, f, x, largest);
  add_sweeps(bench, a, f, x, largest / 2);
  add_relaxations(bench, a, largest / 4);
  for (const std::int64_t n : {2048, 4096}) {
    float *system = bench.allocate<float>(n * n), *right = bench.allocate<float>(n);
    gridstride::fill_with_whole_numbers(system, n * n, stream);
    gridstride::fill_with_whole_numbers(right, n, stream);
    add_solves(bench, system, right, n);
  }
}

}  // namespace

int main(int argc, char** argv) { return gridstride::run_bench("jacobi", argc, argv, add_rows); }
