// cub::DeviceScan
#include <algorithm>
#include <cub/device/device_scan.cuh>

#include "library_test.h"

struct Larger {
  __host__ __device__ int operator()(int a, int b) const { return a < b ? b : a; }
};

int main() {
  for (const int n : sizes) {
    const std::vector<int> values = numbers(n, 1000), keys = numbers(n, 2, 2);
    std::vector<int> inclusive(n), exclusive(n), maxima(n), by_key(n);
    for (int i = 0, sum = 0, most = -1; i < n; ++i) {
      exclusive[i] = sum;
      inclusive[i] = sum += values[i];
      maxima[i] = most = std::max(most, values[i]);
      by_key[i] = values[i] + (i > 0 && keys[i] == keys[i - 1] ? by_key[i - 1] : 0);
    }
    OnDevice<int> in(values), device_keys(keys), out(n);
    cub_call([&](void* t, std::size_t& b) { return cub::DeviceScan::InclusiveSum(t, b, in.get(), out.get(), n); });
    same("InclusiveSum", n, inclusive, out.host());
    cub_call([&](void* t, std::size_t& b) { return cub::DeviceScan::ExclusiveSum(t, b, in.get(), out.get(), n); });
    same("ExclusiveSum", n, exclusive, out.host());
    cub_call([&](void* t, std::size_t& b) {
      return cub::DeviceScan::InclusiveScan(t, b, in.get(), out.get(), Larger{}, n);
    });
    same("InclusiveScan", n, maxima, out.host());
    cub_call([&](void* t, std::size_t& b) {
      return cub::DeviceScan::InclusiveSumByKey(t, b, device_keys.get(), in.get(), out.get(), n);
    });
    same("InclusiveSumByKey", n, by_key, out.host());
  }
}
