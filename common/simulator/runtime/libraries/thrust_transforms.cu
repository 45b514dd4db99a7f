// Thrust: reductions, scans, selections.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include <algorithm>
#include <numeric>

#include "library_test.h"

struct Square {
  __host__ __device__ long long operator()(int value) const { return static_cast<long long>(value) * value; }
};
struct Odd {
  __host__ __device__ bool operator()(int value) const { return value % 2 != 0; }
};

int main() {
  for (const int n : sizes) {
    const std::vector<int> values = numbers(n, 1000);
    const thrust::device_vector<int> in(values.begin(), values.end());
    same("reduce", n, std::accumulate(values.begin(), values.end(), 0),
         thrust::reduce(in.begin(), in.end()));
    long long squares = 0;
    for (const int value : values) squares += Square()(value);
    same("transform_reduce", n, squares,
         thrust::transform_reduce(in.begin(), in.end(), Square(), 0ll, thrust::plus<long long>()));

    std::vector<int> expected(n), got(n);
    std::partial_sum(values.begin(), values.end(), expected.begin());
    thrust::device_vector<int> out(n);
    thrust::inclusive_scan(in.begin(), in.end(), out.begin());
    thrust::copy(out.begin(), out.end(), got.begin());
    same("inclusive_scan", n, expected, got);

    expected.clear();
    std::copy_if(values.begin(), values.end(), std::back_inserter(expected), Odd());
    const auto end = thrust::copy_if(in.begin(), in.end(), out.begin(), Odd());
    got.assign(end - out.begin(), 0);
    thrust::copy(out.begin(), end, got.begin());
    same("copy_if", n, expected, got);

    expected = values;
    for (int& value : expected) value /= 500;
    out.assign(expected.begin(), expected.end());
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    const auto last = thrust::unique(out.begin(), out.end());
    got.assign(last - out.begin(), 0);
    thrust::copy(out.begin(), last, got.begin());
    same("unique", n, expected, got);
  }
}
