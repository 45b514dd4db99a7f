// A picture turned by 30 degrees with four neighbours mixed: by hand from memory, by the texture's
// filter, and its nearest texel alone.
#include "ladder.h"

namespace ladder::pictures {

constexpr int side = 3072;
constexpr float cosine = 0.8660254F, sine = 0.5F, middle = side / 2;

struct Place {
  float x, y;
};

__host__ __device__ Place from(int x, int y) {
  const float dx = float(x) - middle, dy = float(y) - middle;
  return {middle + cosine * dx - sine * dy, middle + sine * dx + cosine * dy};
}

__host__ __device__ float mix(float a, float b, float part) { return a + part * (b - a); }

__global__ void by_hand(const float* in, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const Place p = from(x, y);
  const int left = int(floorf(p.x)), top = int(floorf(p.y));
  float result = 0;
  if (left >= 0 && top >= 0 && left < side - 1 && top < side - 1) {
    const float* at = in + top * side + left;
    const float part = p.x - float(left);
    result = mix(mix(at[0], at[1], part), mix(at[side], at[side + 1], part), p.y - float(top));
  }
  out[y * side + x] = result;
}

__global__ void by_texture(cudaTextureObject_t in, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const Place p = from(x, y);
  out[y * side + x] = tex2D<float>(in, p.x + 0.5F, p.y + 0.5F);
}

/// Its array and texture are kept until the program ends.
cudaTextureObject_t texture_of(const Array<float>& in, cudaTextureFilterMode filter) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t memory = nullptr;
  check(cudaMallocArray(&memory, &format, side, side));
  check(cudaMemcpy2DToArray(memory, 0, 0, in.device(), side * 4, side * 4, side,
                            cudaMemcpyDeviceToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = memory;
  cudaTextureDesc description{};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeBorder;
  description.filterMode = filter;
  cudaTextureObject_t texture = 0;
  check(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}

Kernels turned_picture() {
  const Array<float> in(side * side,
                        [](std::uint32_t i) {
                          return float(i % side) / side +
                                 std::sin(float(i / side) * 0.01F);  // smooth, so that a nearest
                        }),
      out(side * side);  // texel is near
  const cudaTextureObject_t mixing = texture_of(in, cudaFilterModeLinear),
                            nearest = texture_of(in, cudaFilterModePoint);
  const auto way = [=](const char* name, dim3 block, auto kernel, auto from_where) {
    return Kernel{
        name, [=] { out.clear(); },
        [=] { kernel<<<dim3(side / block.x, side / block.y), block>>>(from_where, out.device()); },
        [=] {
          const std::vector<float> got = out.read();
          return sampled(got.size(), [&](std::size_t i) {
            const Place p = from(int(i % side), int(i / side));
            const int left = int(std::floor(p.x)), top = int(std::floor(p.y));
            if (left < 1 || top < 1 || left > side - 3 || top > side - 3) return true;
            return std::abs(got[i] - in[top * side + left]) < 0.03F;
          });
        }};
  };
  const float* memory = in.device();
  return {way("by hand, blocks of 32 by 8", dim3(32, 8), by_hand, memory),
          way("by hand, blocks of 16 by 16", dim3(16, 16), by_hand, memory),
          way("filtered by the texture", dim3(16, 16), by_texture, mixing),
          way("nearest texel", dim3(16, 16), by_texture, nearest)};
}

}  // namespace ladder::pictures
