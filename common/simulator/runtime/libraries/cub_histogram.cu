// cub::DeviceHistogram, cub::DeviceRunLengthEncode
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_run_length_encode.cuh>

#include "library_test.h"

int main() {
  for (const int n : sizes) {
    const std::vector<int> values = numbers(n, 100);
    const std::vector<int> bounds{0, 1, 10, 50, 60, 90};
    std::vector<int> even(10), ranges(5), unique, lengths;
    for (const int value : values) {
      ++even[value / 10];
      for (int k = 0; k < 5; ++k) ranges[k] += value >= bounds[k] && value < bounds[k + 1];
      if (unique.empty() || unique.back() != value) unique.push_back(value), lengths.push_back(0);
      ++lengths.back();
    }
    OnDevice<int> in(values), bins(10), device_bounds(bounds), out(n), counts(n), runs(1);
    CHECK(cudaMemset(bins, 0, 10 * sizeof(int)));
    cub_call([&](void* t, std::size_t& b) {
      return cub::DeviceHistogram::HistogramEven(t, b, in.get(), bins.get(), 11, 0, 100, n);
    });
    same("HistogramEven", n, even, bins.host());
    CHECK(cudaMemset(bins, 0, 10 * sizeof(int)));
    cub_call([&](void* t, std::size_t& b) {
      return cub::DeviceHistogram::HistogramRange(t, b, in.get(), bins.get(), 6, device_bounds.get(), n);
    });
    same("HistogramRange", n, ranges, bins.host(5));
    cub_call([&](void* t, std::size_t& b) {
      return cub::DeviceRunLengthEncode::Encode(t, b, in.get(), out.get(), counts.get(), runs.get(), n);
    });
    same("Encode", n, static_cast<int>(unique.size()), n ? runs.first() : 0);
    same("Encode", n, unique, out.host(unique.size()));
    same("Encode", n, lengths, counts.host(lengths.size()));
  }
}
