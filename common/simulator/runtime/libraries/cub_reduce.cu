// cub::DeviceReduce
#include <algorithm>
#include <climits>
#include <cub/device/device_reduce.cuh>
#include <numeric>

#include "library_test.h"

struct Plus {
  __host__ __device__ int operator()(int a, int b) const { return a + b; }
};

int main() {
  for (const int n : sizes) {
    const std::vector<int> values = numbers(n, 1 << 20);
    OnDevice<int> in(values), out(1);
    cub_call([&](void* t, std::size_t& b) { return cub::DeviceReduce::Sum(t, b, in.get(), out.get(), n); });
    unsigned sum = 0;
    for (const int value : values) sum += value;
    same("Sum", n, static_cast<int>(sum), out.first());
    cub_call([&](void* t, std::size_t& b) { return cub::DeviceReduce::Min(t, b, in.get(), out.get(), n); });
    same("Min", n, n ? *std::min_element(values.begin(), values.end()) : INT_MAX, out.first());
    cub_call([&](void* t, std::size_t& b) { return cub::DeviceReduce::Max(t, b, in.get(), out.get(), n); });
    same("Max", n, n ? *std::max_element(values.begin(), values.end()) : INT_MIN, out.first());
    if (n > 0) {
      OnDevice<cub::KeyValuePair<int, int>> pair(1);
      cub_call([&](void* t, std::size_t& b) {
        return cub::DeviceReduce::ArgMin(t, b, in.get(), pair.get(), n);
      });
      const auto least = std::min_element(values.begin(), values.end());
      same("ArgMin", n, static_cast<int>(least - values.begin()), pair.first().key);
      same("ArgMin", n, *least, pair.first().value);
    }

    std::vector<int> keys = numbers(n, 3, 2), unique, sums;
    for (int i = 0; i < n; ++i) {
      if (i == 0 || keys[i] != keys[i - 1]) unique.push_back(keys[i]), sums.push_back(0);
      sums.back() += values[i];
    }
    OnDevice<int> device_keys(keys), device_unique(n), device_sums(n), runs(1);
    cub_call([&](void* t, std::size_t& b) {
      return cub::DeviceReduce::ReduceByKey(t, b, device_keys.get(), device_unique.get(), in.get(),
                                            device_sums.get(), runs.get(), Plus{}, n);
    });
    same("ReduceByKey", n, static_cast<int>(unique.size()), n ? runs.first() : 0);
    same("ReduceByKey", n, unique, device_unique.host(unique.size()));
    same("ReduceByKey", n, sums, device_sums.host(sums.size()));
  }
}
