// The same jobs by the libraries that come with CUDA: CUB and Thrust.
//
//     ./lab sim labs/compact-split/examples/library.cu     (compiling it takes a while)
//
// Prints: kept 3 1 2 / parted 3 1 2 -5 0 -4 / indices 0 2 5
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/partition.h>

#include <cstdio>
#include <cub/device/device_select.cuh>
#include <vector>

struct IsPositive {
  __device__ bool operator()(float x) const { return x > 0; }
};

template <typename T>
void print(const char* name, const thrust::device_vector<T>& values, int count) {
  std::printf("%s", name);
  for (int i = 0; i < count; ++i) std::printf(" %g", double(values[i]));
}

int main() {
  const std::vector<float> host = {3, -5, 1, 0, -4, 2};
  const int n = static_cast<int>(host.size());
  thrust::device_vector<float> in(host), kept(n);
  thrust::device_vector<int> count(1);

  // CUB: you allocate, and the count stays on the device.
  std::size_t bytes = 0;
  const auto select = [&](void* scratch) {
    cub::DeviceSelect::If(scratch, bytes, in.data().get(), kept.data().get(), count.data().get(), n,
                          IsPositive{});
  };
  select(nullptr);
  thrust::device_vector<char> scratch(bytes);
  select(scratch.data().get());
  print("kept", kept, count[0]);

  // Thrust: one line each. The indices of what is kept need no array of indices to begin with.
  thrust::device_vector<int> indices(n);
  const auto end =
      thrust::copy_if(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(n),
                      in.begin(), indices.begin(), IsPositive{});
  thrust::stable_partition(in.begin(), in.end(), IsPositive{});
  print(" / parted", in, n);
  print(" / indices", indices, static_cast<int>(end - indices.begin()));
  std::printf("\n");
}
