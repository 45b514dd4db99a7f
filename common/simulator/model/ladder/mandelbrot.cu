// The Mandelbrot set: iterations until a point escapes, so threads of a warp take different numbers
// of turns; by shape of block, in double, and with several points a thread.
#include "ladder.h"

namespace ladder::mandelbrot {

constexpr int side = 1024, most = 512;

template <class T>
__host__ __device__ int iterations(int px, int py) {
  const T cx = T(px) * T(3.0 / side) - T(2.25), cy = T(py) * T(3.0 / side) - T(1.5);
  T x = 0, y = 0;
  int n = 0;
  while (n < most && x * x + y * y < T(4)) {
    const T next = x * x - y * y + cx;
    y = T(2) * x * y + cy;
    x = next;
    ++n;
  }
  return n;
}

template <class T>
__global__ void point_a_thread(int* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * side + x] = iterations<T>(x, y);
}

/// Rows dealt to blocks in turn, several points a thread.
__global__ void loop(int* out) {
  for (int y = blockIdx.x; y < side; y += gridDim.x) {
    for (int x = threadIdx.x; x < side; x += blockDim.x) {
      out[y * side + x] = iterations<float>(x, y);
    }
  }
}

Kernel way(const char* name, const Array<int>& out, std::function<void()> launch) {
  return {name, [=] { out.clear(); }, launch,
          [=] {
            const std::vector<int> got = out.read();
            int off = 0;  // at the rim of the set the last bit of a product decides
            sampled(got.size(), [&](std::size_t i) {
              const int wanted = iterations<double>(int(i % side), int(i / side));
              off += std::abs(got[i] - wanted) > 1 + wanted / 8;
              return true;
            });
            return off < 25;
          }};
}

Kernels mandelbrot() {
  const Array<int> out(side * side);
  const auto of_shape = [=](const char* name, dim3 block) {
    return way(name, out, [=] {
      point_a_thread<float><<<dim3(side / block.x, side / block.y), block>>>(out.device());
    });
  };
  return {of_shape("blocks of 256 by 1", dim3(256, 1)),
          of_shape("blocks of 16 by 16", dim3(16, 16)), of_shape("blocks of 8 by 8", dim3(8, 8)),
          way("rows in turn", out, [=] { loop<<<264, 256>>>(out.device()); }),
          way("double", out, [=] {
            point_a_thread<double><<<dim3(side / 16, side / 16), dim3(16, 16)>>>(out.device());
          })};
}

}  // namespace ladder::mandelbrot
