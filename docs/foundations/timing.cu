// How to time a kernel: events around it, a launch to warm up, the median of several.
//   ./lab sim docs/foundations/timing.cu          or, with a GPU:
//   nvcc -I . -o timing docs/foundations/timing.cu && ./timing 28
#include <algorithm>
#include <chrono>
#include <vector>

#include "common/example.h"

__global__ void copy(const float4* in, float4* out, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i];
}

void launch(DeviceArray<float4>& in, DeviceArray<float4>& out) {
  const unsigned blocks = static_cast<unsigned>((in.size() + 255) / 256);
  copy<<<blocks, 256>>>(in.data(), out.data(), in.size());
}

/// A pair of events: milliseconds of the GPU's own clock between two places in a stream.
class Stopwatch {
 public:
  Stopwatch() {
    check(cudaEventCreate(&begin_));
    check(cudaEventCreate(&end_));
  }
  ~Stopwatch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  void start() { check(cudaEventRecord(begin_)); }
  float stop() {
    check(cudaEventRecord(end_));
    check(cudaEventSynchronize(end_));  // before this the time has not passed yet
    float milliseconds = 0.0f;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return milliseconds;
  }

 private:
  cudaEvent_t begin_, end_;
};

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

int main(int argc, char** argv) {
  const std::size_t bytes = std::size_t{1} << (argc > 1 ? std::atoi(argv[1]) : 22);
  DeviceArray<float4> in(bytes / sizeof(float4)), out(bytes / sizeof(float4));

  // Wrong: a launch only orders the work. This is how long it takes to order it.
  check(cudaDeviceSynchronize());
  const auto begin = std::chrono::steady_clock::now();
  launch(in, out);
  const double ordered = milliseconds_since(begin);
  check(cudaDeviceSynchronize());  // the work of the first launch, and what loading it took
  const double first = milliseconds_since(begin);

  Stopwatch watch;
  std::vector<float> times;
  for (int k = 0; k < 11; ++k) {
    watch.start();
    launch(in, out);
    times.push_back(watch.stop());
  }
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  std::printf("host's clock, not waited for  %9.4f ms\n", ordered);
  std::printf("host's clock, the first one   %9.4f ms\n", first);
  std::printf("events, median of %zu          %9.4f ms, from %.4f to %.4f\n", times.size(), median,
              times.front(), times.back());
  std::printf("%.0f GB/s, read and written\n", 2.0 * bytes / median / 1e6);
  return finish();
}
