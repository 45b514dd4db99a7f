// A roofline measured: the same memory traffic with more and more arithmetic for each byte.
//   ./lab explain docs/foundations/roofline.cu --html roofline.html          or, with a GPU:
//   nvcc -arch=native -I . -o roofline docs/foundations/roofline.cu && ./roofline 28
#include "common/example.h"

/// Reads 16 bytes, does 4 * Fmas fused multiply-adds (two operations each), writes 16 bytes.
template <int Fmas>
__global__ void work(const float4* in, float4* out, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float4 v = in[i];
  float x = v.x, y = v.y, z = v.z, w = v.w;  // four chains: none waits for another
#pragma unroll 16
  for (int k = 0; k < Fmas; ++k) {
    x = x * 0.999f + 1.0f;
    y = y * 0.999f + 1.0f;
    z = z * 0.999f + 1.0f;
    w = w * 0.999f + 1.0f;
  }
  out[i] = make_float4(x, y, z, w);
}

template <int Fmas>
void measure(DeviceArray<float4>& in, DeviceArray<float4>& out) {
  const unsigned blocks = static_cast<unsigned>((in.size() + 255) / 256);
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  float best = 0.0f;
  for (int repetition = 0; repetition < 5; ++repetition) {
    check(cudaEventRecord(begin));
    work<Fmas><<<blocks, 256>>>(in.data(), out.data(), in.size());
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float milliseconds = 0.0f;
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    if (repetition == 1 || milliseconds < best) best = milliseconds;
  }
  const double bytes = 32.0 * in.size(), operations = 8.0 * Fmas * in.size();
  std::printf("%6.2f operations a byte  %8.1f GB/s  %9.1f GFLOP/s\n", operations / bytes,
              bytes / best / 1e6, operations / best / 1e6);
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
}

int main(int argc, char** argv) {
  const std::size_t bytes = std::size_t{1} << (argc > 1 ? std::atoi(argv[1]) : 22);
  DeviceArray<float4> in(bytes / sizeof(float4)), out(bytes / sizeof(float4));
  measure<1>(in, out);
  measure<8>(in, out);
  measure<32>(in, out);
  measure<64>(in, out);
  measure<128>(in, out);
  measure<512>(in, out);
  return finish();
}
