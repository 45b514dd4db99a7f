// Every solution beside the library a user would otherwise pick: cub::DeviceHistogram.
//
// Runs on a real GPU (`./lab bench histogram`); grader/bench/bench.h says how it is timed.
#include <cub/device/device_histogram.cuh>
#include <string>
#include <vector>

#include "grader/bench/bench.h"
#include "labs/histogram/histogram.h"
#include "labs/histogram/pgm.h"

namespace {

using gridstride::Bench;
using gridstride::BenchRow;
using gridstride::check_cuda;
using gridstride::Scratch;
using gridstride::Traffic;

enum class Data { uniform, skewed, equal };

__device__ std::uint32_t mixed(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return static_cast<std::uint32_t>(z >> 32);
}

/// Four bytes of data at a time. Skewed: a bit is set in one of eight.
__global__ void fill(std::uint32_t* words, std::int64_t count, Data data) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    std::uint32_t word = mixed(3 * i);
    if (data == Data::skewed) word &= mixed(3 * i + 1) & mixed(3 * i + 2);
    words[i] = data == Data::equal ? 0x65656565 : word;
  }
}

template <class Value>
using CountFunction = void(const Value*, std::uint32_t*, std::int64_t, Scratch, cudaStream_t);

/// CUB on n values with `bins` bins, and each named stage. What CUB gives all must give.
template <class Value>
void add_counts(Bench& bench, const std::string& prefix, const Value* in, std::int64_t n, int bins,
                const char* function, const std::vector<std::string>& stages) {
  const cudaStream_t stream = bench.stream();
  const Scratch scratch = bench.scratch(histogram::scratch_bytes());
  auto *out = bench.allocate<std::uint32_t>(bins), *expected = bench.allocate<std::uint32_t>(bins);
  const auto library = [=](void* temporary, std::size_t& bytes, std::uint32_t* result) {
    check_cuda(cub::DeviceHistogram::HistogramEven(temporary, bytes, in, result, bins + 1, 0, bins,
                                                   static_cast<int>(n), stream),
               "cub");  // with 32-bit indices: 2^30 at most
  };
  std::size_t bytes = 0;
  library(nullptr, bytes, expected);
  void* temporary = bench.scratch(bytes).data;
  library(temporary, bytes, expected);

  BenchRow row{.bytes = static_cast<double>(n) * sizeof(Value),
               .traffic = Traffic::reads,
               .results = {{out, expected, bins * sizeof(std::uint32_t)}}};
  for (const std::string& stage : stages) {
    auto* count = bench.stage<CountFunction<Value>>(stage, function);
    row.name = prefix + stage;
    row.launch = [=] { count(in, out, n, scratch, stream); };
    bench.add(row);
  }
  row.name = prefix + "cub::DeviceHistogram";
  row.library = true;
  row.launch = [=] {
    std::size_t given = bytes;
    library(temporary, given, out);
  };
  bench.add(row);
}

/// The text job has no peer in the library: its bins are no even ranges of a byte.
void add_letters(Bench& bench, const std::uint8_t* text, std::int64_t n) {
  const cudaStream_t stream = bench.stream();
  const Scratch scratch = bench.scratch(histogram::scratch_bytes());
  auto* out = bench.allocate<std::uint32_t>(histogram::letter_bins);
  auto* expected = bench.allocate<std::uint32_t>(histogram::letter_bins);
  bench.stage<decltype(count_letters)>("0_baseline", "count_letters")(text, expected, n, scratch,
                                                                      stream);
  BenchRow row{.bytes = static_cast<double>(n),
               .traffic = Traffic::reads,
               .results = {{out, expected, histogram::letter_bins * sizeof(std::uint32_t)}}};
  for (const char* stage : {"1_interleaved", "2_privatized"}) {
    auto* count = bench.stage<decltype(count_letters)>(stage, "count_letters");
    row.name = std::string("2^26 letters/") + stage;
    row.launch = [=] { count(text, out, n, scratch, stream); };
    bench.add(row);
  }
}

void add_rows(Bench& bench) {
  constexpr std::int64_t largest = std::int64_t{1} << 30;  // bytes
  const struct {
    Data data;
    const char* name;
  } inputs[] = {{Data::uniform, "uniform"}, {Data::skewed, "skewed"}, {Data::equal, "equal"}};
  for (const auto& input : inputs) {
    auto* bytes = bench.allocate<std::uint8_t>(largest);
    fill<<<1024, 256, 0, bench.stream()>>>(reinterpret_cast<std::uint32_t*>(bytes), largest / 4,
                                           input.data);
    const std::string name = input.name;
    add_counts(bench, "2^30 bytes " + name + "/", bytes, largest, histogram::byte_bins,
               "count_bytes", {"3_byte_counters", "4_warp_tables", "5_lane_tables"});
    add_counts(bench, "2^29 words " + name + "/", reinterpret_cast<const std::uint16_t*>(bytes),
               largest / 2, histogram::wide_bins, "count_words", {"6_many_bins"});
    if (input.data == Data::uniform) {
      add_counts(bench, "2^24 bytes uniform/", bytes, std::int64_t{1} << 24, histogram::byte_bins,
                 "count_bytes", {"5_lane_tables"});
      add_letters(bench, bytes, std::int64_t{1} << 26);
    }
  }
  const histogram::Image image = histogram::misty_ball(4096, 4096);
  const auto pixels = static_cast<std::int64_t>(image.pixels.size());
  auto* on_device = bench.allocate<std::uint8_t>(pixels);
  check_cuda(
      cudaMemcpy(on_device, image.pixels.data(), image.pixels.size(), cudaMemcpyHostToDevice),
      "copying the image");
  add_counts(bench, "image 4096 x 4096/", on_device, pixels, histogram::byte_bins, "count_bytes",
             {"3_byte_counters", "4_warp_tables", "5_lane_tables"});
}

}  // namespace

int main(int argc, char** argv) { return gridstride::run_bench("histogram", argc, argv, add_rows); }
