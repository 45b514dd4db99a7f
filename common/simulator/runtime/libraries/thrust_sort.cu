// Thrust: sort and stable_sort_by_key.
#include <thrust/device_vector.h>
#include <thrust/sort.h>

#include <algorithm>
#include <numeric>

#include "library_test.h"

int main() {
  for (const int n : sizes) {
    const std::vector<int> values = numbers(n, 1000);
    std::vector<int> sorted = values, order(n), got(n);
    std::sort(sorted.begin(), sorted.end());
    thrust::device_vector<int> keys(values.begin(), values.end());
    thrust::sort(keys.begin(), keys.end());
    thrust::copy(keys.begin(), keys.end(), got.begin());
    same("sort", n, sorted, got);

    std::iota(order.begin(), order.end(), 0);
    thrust::device_vector<int> places(order.begin(), order.end());
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return values[a] < values[b]; });
    keys.assign(values.begin(), values.end());
    thrust::stable_sort_by_key(keys.begin(), keys.end(), places.begin());
    thrust::copy(places.begin(), places.end(), got.begin());
    same("stable_sort_by_key", n, order, got);
  }
}
