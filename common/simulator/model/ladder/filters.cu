// Filters of a picture: separable blurs straight from memory and through tiles, a filter of 7 by 7 in
// a tile, medians of 3 by 3, and a bilateral filter from memory and from a texture.
#include <algorithm>

#include "ladder.h"

namespace ladder::filters {

constexpr int side = 2048, reach = 8, taps = 2 * reach + 1;
constexpr int across = 3;  ///< reach of the square filter
__constant__ float weights[taps];
__constant__ float square[49];

float weight(int k) { return fraction(k + 77); }

__device__ int inside(int x) { return min(max(x, 0), side - 1); }

template <bool columns>
__global__ void blur_straight(const float* in, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = -reach; k <= reach; ++k) {
    sum += weights[k + reach] *
           (columns ? in[inside(y + k) * side + x] : in[y * side + inside(x + k)]);
  }
  out[y * side + x] = sum;
}

__global__ void blur_rows_tile(const float* in, float* out) {
  __shared__ float part[4][128 + 2 * reach];
  const int x0 = blockIdx.x * 128, y = blockIdx.y * 4 + threadIdx.y;
  for (int k = threadIdx.x; k < 128 + 2 * reach; k += 32) {
    part[threadIdx.y][k] = in[y * side + inside(x0 + k - reach)];
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 128; k += 32) {
    float sum = 0;
#pragma unroll
    for (int j = 0; j < taps; ++j) sum += weights[j] * part[threadIdx.y][k + j];
    out[y * side + x0 + k] = sum;
  }
}

__global__ void blur_columns_tile(const float* in, float* out) {
  __shared__ float part[64 + 2 * reach][32];
  const int x = blockIdx.x * 32 + threadIdx.x, y0 = blockIdx.y * 64;
  for (int k = threadIdx.y; k < 64 + 2 * reach; k += 8) {
    part[k][threadIdx.x] = in[inside(y0 + k - reach) * side + x];
  }
  __syncthreads();
  for (int k = threadIdx.y; k < 64; k += 8) {
    float sum = 0;
#pragma unroll
    for (int j = 0; j < taps; ++j) sum += weights[j] * part[k + j][threadIdx.x];
    out[(y0 + k) * side + x] = sum;
  }
}

__global__ void square_straight(const float* in, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 7; ++j) {
#pragma unroll
    for (int i = 0; i < 7; ++i) {
      sum += square[j * 7 + i] * in[inside(y + j - across) * side + inside(x + i - across)];
    }
  }
  out[y * side + x] = sum;
}

template <int width, int height>
__global__ void square_tile(const float* in, float* out) {
  constexpr int wide = width + 2 * across, high = height + 2 * across;
  __shared__ float part[high][wide];
  const int x0 = blockIdx.x * width, y0 = blockIdx.y * height;
  for (int k = threadIdx.y * width + threadIdx.x; k < wide * high; k += width * height) {
    part[k / wide][k % wide] =
        in[inside(y0 + k / wide - across) * side + inside(x0 + k % wide - across)];
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 7; ++j) {
#pragma unroll
    for (int i = 0; i < 7; ++i) {
      sum += square[j * 7 + i] * part[threadIdx.y + j][threadIdx.x + i];
    }
  }
  out[(y0 + threadIdx.y) * side + x0 + threadIdx.x] = sum;
}

__device__ void order(float& a, float& b) {
  const float less = fminf(a, b);
  b = fmaxf(a, b);
  a = less;
}

__device__ float middle_of_9(float* v) {
#pragma unroll
  for (int pass = 0; pass < 5; ++pass) {  // the five largest go to the end
#pragma unroll
    for (int k = 0; k + 1 < 9 - pass; ++k) order(v[k], v[k + 1]);
  }
  return v[4];
}

__global__ void median_straight(const float* in, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float v[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) v[k] = in[inside(y + k / 3 - 1) * side + inside(x + k % 3 - 1)];
  out[y * side + x] = middle_of_9(v);
}

__global__ void median_tile(const float* in, float* out) {
  __shared__ float part[10][34];
  const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
  for (int k = threadIdx.y * 32 + threadIdx.x; k < 340; k += 256) {
    part[k / 34][k % 34] = in[inside(y0 + k / 34 - 1) * side + inside(x0 + k % 34 - 1)];
  }
  __syncthreads();
  float v[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) v[k] = part[threadIdx.y + k / 3][threadIdx.x + k % 3];
  out[(y0 + threadIdx.y) * side + x0 + threadIdx.x] = middle_of_9(v);
}

struct Memory {
  const float* in;
  __device__ float operator()(int x, int y) const { return in[inside(y) * side + inside(x)]; }
};
struct Texture {
  cudaTextureObject_t in;
  __device__ float operator()(int x, int y) const { return tex2D<float>(in, x + 0.5F, y + 0.5F); }
};

template <class Picture>
__global__ void bilateral(Picture in, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float here = in(x, y);
  float sum = 0, all = 0;
#pragma unroll
  for (int j = -2; j <= 2; ++j) {
#pragma unroll
    for (int i = -2; i <= 2; ++i) {
      const float value = in(x + i, y + j), apart = value - here;
      const float part = __expf(-0.1F * float(i * i + j * j) - 8 * apart * apart);
      sum += part * value;
      all += part;
    }
  }
  out[y * side + x] = sum / all;
}

struct Pictures {
  Array<float> in{side * side, fraction}, out{side * side};
  float at(int x, int y) const {
    return in[std::clamp(y, 0, side - 1) * side + std::clamp(x, 0, side - 1)];
  }
  Kernel way(const char* name, std::function<void()> launch, std::function<double(int, int)> wanted,
             double part = 1e-4) const {
    const Array<float> result = out;
    return {name, [=] { result.clear(); }, launch,
            [=] {
              const std::vector<float> got = result.read();
              return sampled(got.size(), [&](std::size_t i) {
                return near(got[i], wanted(int(i % side), int(i / side)), part);
              });
            }};
  }
};

const dim3 block(32, 8), grid(side / 32, side / 8);

Kernels separable() {
  const Pictures p;
  std::vector<float> all;
  for (int k = 0; k < taps; ++k) all.push_back(weight(k));
  check(cudaMemcpyToSymbol(weights, all.data(), sizeof weights));
  const auto wanted = [=](bool columns) {
    return [=](int x, int y) {
      double sum = 0;
      for (int k = -reach; k <= reach; ++k) {
        sum += double(weight(k + reach)) * (columns ? p.at(x, y + k) : p.at(x + k, y));
      }
      return sum;
    };
  };
  const float* in = p.in.device();
  float* out = p.out.device();
  return {
      p.way(
          "rows straight", [=] { blur_straight<false><<<grid, block>>>(in, out); }, wanted(false)),
      p.way(
          "rows by tiles",
          [=] { blur_rows_tile<<<dim3(side / 128, side / 4), dim3(32, 4)>>>(in, out); },
          wanted(false)),
      p.way(
          "columns straight", [=] { blur_straight<true><<<grid, block>>>(in, out); }, wanted(true)),
      p.way(
          "columns by tiles",
          [=] { blur_columns_tile<<<dim3(side / 32, side / 64), block>>>(in, out); },
          wanted(true))};
}

Kernels square_filter() {
  const Pictures p;
  std::vector<float> all;
  for (int k = 0; k < 49; ++k) all.push_back(weight(k));
  check(cudaMemcpyToSymbol(square, all.data(), sizeof square));
  const auto wanted = [=](int x, int y) {
    double sum = 0;
    for (int k = 0; k < 49; ++k) sum += double(weight(k)) * p.at(x + k % 7 - 3, y + k / 7 - 3);
    return sum;
  };
  const float* in = p.in.device();
  float* out = p.out.device();
  return {p.way(
              "straight", [=] { square_straight<<<grid, block>>>(in, out); }, wanted),
          p.way(
              "tile of 32 by 8", [=] { square_tile<32, 8><<<grid, block>>>(in, out); }, wanted),
          p.way(
              "tile of 16 by 16",
              [=] { square_tile<16, 16><<<dim3(side / 16, side / 16), dim3(16, 16)>>>(in, out); },
              wanted)};
}

Kernels median() {
  const Pictures p;
  const auto wanted = [=](int x, int y) {
    std::vector<float> all;
    for (int k = 0; k < 9; ++k) all.push_back(p.at(x + k % 3 - 1, y + k / 3 - 1));
    std::sort(all.begin(), all.end());
    return double(all[4]);
  };
  const float* in = p.in.device();
  float* out = p.out.device();
  return {p.way(
              "straight", [=] { median_straight<<<grid, block>>>(in, out); }, wanted),
          p.way(
              "tile", [=] { median_tile<<<grid, block>>>(in, out); }, wanted)};
}

Kernels bilateral_filter() {
  const Pictures p;
  const auto wanted = [=](int x, int y) {
    double sum = 0, all = 0;
    for (int k = 0; k < 25; ++k) {
      const int i = k % 5 - 2, j = k / 5 - 2;
      const double value = p.at(x + i, y + j), apart = value - p.at(x, y);
      const double part = std::exp(-0.1 * (i * i + j * j) - 8 * apart * apart);
      sum += part * value;
      all += part;
    }
    return sum / all;
  };
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t memory = nullptr;
  check(cudaMallocArray(&memory, &format, side, side));
  check(cudaMemcpy2DToArray(memory, 0, 0, p.in.device(), side * 4, side * 4, side,
                            cudaMemcpyDeviceToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = memory;
  cudaTextureDesc description{};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  description.filterMode = cudaFilterModePoint;
  cudaTextureObject_t texture = 0;
  check(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  const float* in = p.in.device();
  float* out = p.out.device();
  return {p.way(
              "memory", [=] { bilateral<<<grid, block>>>(Memory{in}, out); }, wanted, 1e-3),
          p.way(
              "texture", [=] { bilateral<<<grid, block>>>(Texture{texture}, out); }, wanted, 1e-3)};
}

}  // namespace ladder::filters
