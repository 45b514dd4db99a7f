// cub::DeviceMergeSort
#include <algorithm>
#include <cub/device/device_merge_sort.cuh>

#include "library_test.h"

struct Less {
  __host__ __device__ bool operator()(double a, double b) const { return a < b; }
};

int main() {
  for (const int n : sizes) {
    const std::vector<int> values = numbers(n, 1 << 30);
    std::vector<double> sorted(values.begin(), values.end());
    OnDevice<double> keys(sorted);
    std::sort(sorted.begin(), sorted.end());
    cub_call([&](void* t, std::size_t& b) {
      return cub::DeviceMergeSort::SortKeys(t, b, keys.get(), n, Less{});
    });
    same("SortKeys", n, sorted, keys.host());
  }
}
