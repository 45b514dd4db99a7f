// Measures, on a real GPU, fetches through textures: by format, filter, dimensions and where the lanes
// of a warp fetch, of a window that one multiprocessor reads again and again; how the window's size
// matters; one fetch a thread of a large picture; and the latency of one fetch behind another. Prints
// CSV: clocks of one multiprocessor for each fetch of a warp.
//
//     nvcc -O3 -arch=sm_90 -o textures textures.cu && ./textures
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "seconds.cuh"

namespace {

constexpr double clock_hz = 1.98e9;
constexpr int multiprocessors = 132;

enum class Dimensions { line, plane, layers, space };
enum class Lanes { row, tile, one, drawn };

__device__ std::uint32_t mixed(std::uint32_t i) {
  i = (i ^ (i >> 16)) * 0x7feb352dU;
  i = (i ^ (i >> 15)) * 0x846ca68bU;
  return i ^ (i >> 16);
}

__device__ float sum_of(float v) { return v; }
__device__ float sum_of(float2 v) { return v.x + v.y; }
__device__ float sum_of(float4 v) { return v.x + v.y + v.z + v.w; }

template <class T, Dimensions D>
__device__ float fetch(cudaTextureObject_t texture, float x, float y, int k) {
  if constexpr (D == Dimensions::line) return sum_of(tex1Dfetch<T>(texture, int(x)));
  if constexpr (D == Dimensions::plane) return sum_of(tex2D<T>(texture, x, y));
  if constexpr (D == Dimensions::layers) return sum_of(tex2DLayered<T>(texture, x, y, k & 1));
  if constexpr (D == Dimensions::space)
    return sum_of(tex3D<T>(texture, x, y, 0.75F + float(k & 1)));
}

/// `width` and `height` of the window are powers of two.
template <class T, Dimensions D>
__global__ void fetches(cudaTextureObject_t texture, Lanes lanes, int width, int height, int n,
                        float* out) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum = 0;
  int x0 = 0, y0 = warp * 4;
  if (lanes == Lanes::row) x0 = lane;
  if (lanes == Lanes::tile) {
    x0 = lane % 8;
    y0 += lane / 8;
  }
  for (int i = 0; i < n; i += 4) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      int x = (x0 + i * 2 + 8 * k) & (width - 1), y = (y0 + k) & (height - 1);
      if (lanes == Lanes::drawn) {
        const std::uint32_t r = mixed((i + k) * 2048 + threadIdx.x);
        x = r & (width - 1);
        y = (r >> 16) & (height - 1);
      }
      sum += fetch<T, D>(texture, float(x) + 0.7F, float(y) + 0.7F, k);
    }
  }
  if (sum == 12345) *out = sum;
}

template <class T, Dimensions D>
__global__ void chain(cudaTextureObject_t texture, int n, float* out) {
  float x = 0.5F;
  for (int i = 0; i < n; ++i) x = 0.5F + fetch<T, D>(texture, x, 0.5F, 0);
  if (x == 12345) *out = x;
}

template <class T>
__global__ void once(cudaTextureObject_t texture, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float v = sum_of(tex2D<T>(texture, float(x) + 0.5F, float(y) + 0.5F));
  if (v == 12345) *out = v;
}

struct Texture {
  cudaTextureObject_t object = 0;
  cudaArray_t array = nullptr;
  void* memory = nullptr;
  ~Texture() {
    cudaDestroyTextureObject(object);
    if (array) cudaFreeArray(array);
    if (memory) cudaFree(memory);
  }
};

void make(Texture& t, Dimensions d, cudaChannelFormatDesc format, int width, int height,
          bool linear, bool normalized) {
  cudaResourceDesc resource{};
  if (d == Dimensions::line) {
    const std::size_t bytes = std::size_t(width) * (format.x + format.y + format.z + format.w) / 8;
    check(cudaMalloc(&t.memory, bytes));
    check(cudaMemset(t.memory, 0, bytes));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = t.memory;
    resource.res.linear.desc = format;
    resource.res.linear.sizeInBytes = bytes;
  } else {
    if (d == Dimensions::plane) {
      check(cudaMallocArray(&t.array, &format, width, height));
      const std::size_t row = std::size_t(width) * (format.x + format.y + format.z + format.w) / 8;
      std::vector<char> zeros(row * height);
      check(cudaMemcpy2DToArray(t.array, 0, 0, zeros.data(), row, row, height,
                                cudaMemcpyHostToDevice));
    } else {
      check(cudaMalloc3DArray(&t.array, &format, make_cudaExtent(width, height, 4),
                              d == Dimensions::layers ? cudaArrayLayered : 0));
    }
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = t.array;
  }
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
  how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  how.readMode = normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  check(cudaCreateTextureObject(&t.object, &resource, &how, nullptr));
}

float* out;

const char* const lanes_names[] = {"row", "tile of 8 by 4", "one", "drawn"};
const char* const dimension_names[] = {"line of memory", "plane", "layers", "space"};

template <class T, Dimensions D>
void row(const char* format_name, cudaChannelFormatDesc format, bool linear, bool normalized,
         Lanes lanes, int width, int height, int threads = 1024, int blocks = 2) {
  Texture t;
  make(t, D, format, width, height, linear, normalized);
  constexpr int n = 512;
  const auto run = [&](int times) {
    return seconds([&] {
      fetches<T, D>
          <<<multiprocessors * blocks, threads>>>(t.object, lanes, width, height, n * times, out);
    });
  };
  const double clocks = (run(5) - run(1)) * clock_hz / (4.0 * n * blocks * (threads / 32));
  std::printf("%s,%s,%s,%s,%d,%d,%d,%.2f\n", dimension_names[int(D)], format_name,
              linear ? "linear" : "point", lanes_names[int(lanes)], width, height, threads * blocks,
              clocks);
}

template <class T, Dimensions D>
void latency(const char* format_name, cudaChannelFormatDesc format, bool linear, bool normalized) {
  Texture t;
  make(t, D, format, 64, 8, linear, normalized);
  const auto run = [&](int n) { return seconds([&] { chain<T, D><<<1, 1>>>(t.object, n, out); }); };
  std::printf("%s,%s,%s,chain,64,8,1,%.2f\n", dimension_names[int(D)], format_name,
              linear ? "linear" : "point", (run(5000) - run(1000)) * clock_hz / 4000);
}

template <class T>
void stream(const char* format_name, cudaChannelFormatDesc format, bool normalized, int bx,
            int by) {
  constexpr int side = 8192;
  Texture t;
  make(t, Dimensions::plane, format, side, side, false, normalized);
  const double s =
      seconds([&] { once<T><<<dim3(side / bx, side / by), dim3(bx, by)>>>(t.object, out); });
  const double bytes = double(side) * side * (format.x + format.y + format.z + format.w) / 8;
  std::printf("# %s once by blocks of %d by %d: %.1f us, %.0f GB/s, %.2f clocks a warp\n",
              format_name, bx, by, s * 1e6, bytes / s * 1e-9,
              s * clock_hz * multiprocessors / (double(side) * side / 32));
}

}  // namespace

int main() {
  check(cudaMalloc(&out, sizeof(float)));
  const auto f1 = cudaCreateChannelDesc<float>(), f2 = cudaCreateChannelDesc<float2>(),
             f4 = cudaCreateChannelDesc<float4>(), u1 = cudaCreateChannelDesc<unsigned char>(),
             u4 = cudaCreateChannelDesc<uchar4>(), s1 = cudaCreateChannelDesc<unsigned short>(),
             h4 = cudaCreateChannelDescHalf4();
  std::printf("dimensions,format,filter,lanes,width,height,threads,clocks\n");
  for (const Lanes lanes : {Lanes::row, Lanes::tile, Lanes::one, Lanes::drawn}) {
    for (const bool linear : {false, true}) {
      row<float, Dimensions::plane>("float", f1, linear, false, lanes, 64, 64);
      row<float2, Dimensions::plane>("float2", f2, linear, false, lanes, 64, 32);
      row<float4, Dimensions::plane>("float4", f4, linear, false, lanes, 32, 32);
      row<float, Dimensions::plane>("uchar", u1, linear, true, lanes, 128, 64);
      row<float4, Dimensions::plane>("uchar4", u4, linear, true, lanes, 64, 64);
      row<float, Dimensions::plane>("ushort", s1, linear, true, lanes, 64, 64);
      row<float4, Dimensions::plane>("half4", h4, linear, false, lanes, 64, 32);
      row<float, Dimensions::layers>("float", f1, linear, false, lanes, 64, 32);
      row<float, Dimensions::space>("float", f1, linear, false, lanes, 32, 32);
      row<float4, Dimensions::space>("uchar4", u4, linear, true, lanes, 32, 32);
    }
    row<float, Dimensions::line>("float", f1, false, false, lanes, 4096, 1);
    row<float2, Dimensions::line>("float2", f2, false, false, lanes, 2048, 1);
    row<float4, Dimensions::line>("float4", f4, false, false, lanes, 1024, 1);
  }
  // Windows that grow.
  for (const int side : {32, 64, 128, 256, 512, 1024, 2048, 4096}) {
    row<float, Dimensions::plane>("float", f1, false, false, Lanes::drawn, side, side);
    row<float, Dimensions::plane>("float", f1, true, false, Lanes::drawn, side, side);
    row<float4, Dimensions::plane>("float4", f4, false, false, Lanes::drawn, side, side);
    row<float, Dimensions::line>("float", f1, false, false, Lanes::drawn,
                                 side * side < 65536 ? side * side : 65536, 1);
  }
  row<float, Dimensions::plane>("float", f1, false, false, Lanes::tile, 64, 64, 32, 1);
  row<float, Dimensions::plane>("float", f1, false, false, Lanes::tile, 64, 64, 256, 1);
  row<float, Dimensions::plane>("float", f1, true, false, Lanes::tile, 64, 64, 32, 1);
  row<float, Dimensions::plane>("float", f1, true, false, Lanes::tile, 64, 64, 256, 1);
  latency<float, Dimensions::line>("float", f1, false, false);
  latency<float, Dimensions::plane>("float", f1, false, false);
  latency<float, Dimensions::plane>("float", f1, true, false);
  latency<float4, Dimensions::plane>("float4", f4, true, false);
  latency<float4, Dimensions::plane>("uchar4", u4, true, true);
  latency<float, Dimensions::space>("float", f1, true, false);
  stream<float>("float", f1, false, 16, 16);
  stream<float>("float", f1, false, 32, 8);
  stream<float>("float", f1, false, 256, 1);
  stream<float4>("float4", f4, false, 16, 16);
  stream<float4>("float4", f4, false, 256, 1);
  stream<float4>("uchar4", u4, true, 16, 16);
  stream<float4>("uchar4", u4, true, 256, 1);
  stream<float>("uchar", u1, true, 16, 16);
  check(cudaDeviceSynchronize());
}
