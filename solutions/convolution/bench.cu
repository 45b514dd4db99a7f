// Every solution beside what a user would otherwise have: for the separable filter two passes in
// the way of NVIDIA's sample convolutionSeparable, for the square one the most that multiplications
// can give.
//
// Runs on a real GPU (`./lab bench convolution`); grader/bench/bench.h says how it is timed.
#include <string>
#include <vector>

#include "grader/bench/bench.h"
#include "labs/convolution/convolution.h"
#include "solutions/convolution/two_passes.cuh"

namespace {

using convolution::Border;
using gridstride::Bench;
using gridstride::BenchRow;
using gridstride::check_cuda;
using gridstride::Scratch;
using gridstride::Traffic;

/// Multiplications and additions in registers, nothing else: 2 * 8 * `rounds` operations a thread.
__global__ void multiply_only(float* out, float factor, int rounds) {
  float values[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) values[k] = static_cast<float>(threadIdx.x + k);
#pragma unroll 16
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int k = 0; k < 8; ++k) values[k] = values[k] * factor + factor;
  }
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += values[k];
  if (sum == 12345.0f) *out = sum;  // never: but the compiler does not know
}

/// A square image of whole numbers and what is made of it.
struct Images {
  int side;
  const float* in;
  float *out, *expected;
  Scratch scratch;

  Images(Bench& bench, int rows) : side(rows) {
    const std::int64_t n = std::int64_t{rows} * rows;
    float* pixels = bench.allocate<float>(n);
    gridstride::fill_with_whole_numbers(pixels, n, bench.stream());
    in = pixels;
    out = bench.allocate<float>(n);
    expected = bench.allocate<float>(n);
    scratch = bench.scratch(convolution::scratch_bytes(rows, rows));
  }
  double pixels() const { return static_cast<double>(side) * side; }
  std::size_t bytes() const { return static_cast<std::size_t>(side) * side * sizeof(float); }
};

/// Taps on the device: whole numbers, so that all ways of adding give equal bits.
const float* whole_taps(Bench& bench, int count, int largest) {
  std::vector<float> taps(count);
  for (int k = 0; k < count; ++k) taps[k] = static_cast<float>(k * 7 % (2 * largest + 1) - largest);
  float* on_device = bench.allocate<float>(count);
  check_cuda(
      cudaMemcpy(on_device, taps.data(), taps.size() * sizeof(float), cudaMemcpyHostToDevice),
      "copying the filter");
  return on_device;
}

void add_square(Bench& bench, const Images& images, int size,
                const std::vector<std::string>& stages) {
  const cudaStream_t stream = bench.stream();
  const float* filter = whole_taps(bench, size * size, 4);
  const auto launch = [=](auto* convolve, float* out) {
    convolve(images.in, out, images.side, images.side, filter, size, Border::clamp, images.scratch,
             stream);
  };
  launch(bench.stage<decltype(convolve)>("0_baseline", "convolve"), images.expected);
  for (const std::string& stage : stages) {
    auto* function = bench.stage<decltype(convolve)>(stage, "convolve");
    bench.add({.name = std::to_string(size) + "x" + std::to_string(size) + " " +
                       std::to_string(images.side) + "^2/" + stage,
               .operations = 2.0 * size * size * images.pixels(),
               .operation = "flop",
               .launch = [=] { launch(function, images.out); },
               .results = {{images.out, images.expected, images.bytes()}}});
  }
}

void add_separable(Bench& bench, const Images& images, int size, Border border,
                   const std::vector<std::string>& stages) {
  const cudaStream_t stream = bench.stream();
  const float *x = whole_taps(bench, size, 3), *y = whole_taps(bench, size, 2);
  const auto launch = [=](auto* convolve, float* out) {
    convolve(images.in, out, images.side, images.side, x, y, size, border, images.scratch, stream);
  };
  auto* baseline = bench.stage<decltype(convolve_separable)>("0_baseline", "convolve_separable");
  launch(baseline, images.expected);
  BenchRow row{.bytes = 2.0 * images.pixels() * sizeof(float),
               .results = {{images.out, images.expected, images.bytes()}}};
  const std::string prefix = "separable " + std::to_string(size) + " " +
                             std::to_string(images.side) + "^2 " +
                             (border == Border::zero ? "zero/" : "clamp/");
  for (const std::string& stage : stages) {
    auto* function = bench.stage<decltype(convolve_separable)>(stage, "convolve_separable");
    row.name = prefix + stage;
    row.launch = [=] { launch(function, images.out); };
    bench.add(row);
  }
  if (size != 2 * two_passes::radius + 1 || border != Border::zero) return;
  row.name = prefix + "two passes as in convolutionSeparable";
  row.library = true;
  row.launch = [=] { launch(two_passes::convolve_separable, images.out); };
  bench.add(row);
}

void add_rows(Bench& bench) {
  const Images even(bench, 8192), odd(bench, 8191);
  add_square(bench, even, 9,
             {"0_baseline", "1_constant_filter", "2_shared_tile", "3_register_window"});
  add_square(bench, odd, 9, {"3_register_window"});
  for (const int size : {5, 17, 33}) add_square(bench, even, size, {"3_register_window"});
  add_separable(bench, even, 17, Border::zero, {"0_baseline", "4_separable", "5_one_pass"});
  add_separable(bench, odd, 17, Border::clamp, {"5_one_pass"});
  add_separable(bench, even, 33, Border::clamp, {"5_one_pass"});

  constexpr int blocks = 2048, threads = 512, rounds = 2048;
  float* never = bench.allocate<float>(1);
  bench.add({.name = "multiplications in registers alone",
             .operations = 16.0 * rounds * blocks * threads,
             .operation = "flop",
             .launch = [=, stream = bench.stream()] {
               multiply_only<<<blocks, threads, 0, stream>>>(never, 0.5f, rounds);
             }});
}

}  // namespace

int main(int argc, char** argv) {
  return gridstride::run_bench("convolution", argc, argv, add_rows);
}
