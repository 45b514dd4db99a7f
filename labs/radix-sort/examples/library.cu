// The same job by the libraries that come with CUDA: CUB and Thrust.
//
//     ./lab sim labs/radix-sort/examples/library.cu        (compiling it takes a while)
//
// Prints: -1:1 -1:3 2:2 3:0 -1:1 -1:3 2:2 3:0
#include <thrust/device_vector.h>
#include <thrust/sort.h>

#include <cstdio>
#include <cub/device/device_radix_sort.cuh>
#include <vector>

int main() {
  thrust::device_vector<int> keys(std::vector<int>{3, -1, 2, -1}), keys_out(4), values_out(4);
  thrust::device_vector<int> values(std::vector<int>{0, 1, 2, 3});

  // CUB: ask for the scratch memory's size, allocate, sort. Stable; a range of bits, if you like.
  std::size_t bytes = 0;
  const auto sort = [&](void* scratch) {
    cub::DeviceRadixSort::SortPairs(scratch, bytes, keys.data().get(), keys_out.data().get(),
                                    values.data().get(), values_out.data().get(), 4);
  };
  sort(nullptr);
  thrust::device_vector<char> scratch(bytes);
  sort(scratch.data().get());
  for (int i = 0; i < 4; ++i) std::printf("%d:%d ", int(keys_out[i]), int(values_out[i]));

  // Thrust: one line, in place.
  thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin());
  for (int i = 0; i < 4; ++i) std::printf("%d:%d ", int(keys[i]), int(values[i]));
  std::printf("\n");
}
