// Measures, on a real GPU, reading, writing and copying few megabytes that no cache holds: microseconds
// between two events, of which an empty kernel takes 2.75; prints CSV.
//
//     nvcc -O3 -arch=sm_90 -o small_streams small_streams.cu && ./small_streams
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "seconds.cuh"

namespace {

enum What { nothing, reads, writes, copies };

template <What what, class T>
__global__ void stream(const T* in, T* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (what == reads) {
      const T v = in[i];
      if (*reinterpret_cast<const int*>(&v) == 12345) out[0] = v;
    }
    if (what == writes) out[i] = T{};
    if (what == copies) out[i] = in[i];
  }
}

__global__ void read_all(const float4* values, int n, float* sum) {
  float all = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    all += values[i].x + values[i].w;
  }
  if (all == 1) *sum = all;
}

char *in, *out, *others;
constexpr int other_bytes = 120 << 20;

template <class Launch>
double microseconds(Launch launch) {
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  std::vector<float> times;
  for (int k = 0; k < 12; ++k) {
    check(cudaDeviceSynchronize());
    read_all<<<1024, 256>>>(reinterpret_cast<float4*>(others), other_bytes / 16,
                            reinterpret_cast<float*>(out));
    check(cudaEventRecord(start));
    launch();
    check(cudaEventRecord(stop));
    check(cudaEventSynchronize(stop));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start, stop));
    if (k > 0) times.push_back(milliseconds * 1e3F);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

template <class T>
void row(const char* type, double megabytes, bool loop) {
  const int n = int(megabytes * 1048576 / sizeof(T)), blocks = loop ? 1056 : (n + 255) / 256;
  const auto time = [&](auto kernel) {
    return microseconds([&] {
      kernel<<<blocks, 256>>>(reinterpret_cast<const T*>(in), reinterpret_cast<T*>(out), n);
    });
  };
  std::printf("%s,%s,%g,%.2f,%.2f,%.2f,%.2f\n", type, loop ? "loop" : "thread each", megabytes,
              time(stream<nothing, T>), time(stream<reads, T>), time(stream<writes, T>),
              time(stream<copies, T>));
}

}  // namespace

int main() {
  for (char** one : {&in, &out, &others}) {
    check(cudaMalloc(one, other_bytes));
    check(cudaMemset(*one, 0, other_bytes));
  }
  std::printf("type,blocks,MB,nothing,read,write,copy\n");
  for (const double megabytes : {0.25, 1., 2., 4., 8., 16., 32., 64.}) {
    row<float4>("float4", megabytes, false);
    row<float4>("float4", megabytes, true);
    row<float>("float", megabytes, false);
  }
  check(cudaDeviceSynchronize());
}
