// Records what a GPU's texture units return: how sampling_h200.txt was written.
//   nvcc -std=c++17 -arch=sm_90 -o record_sampling record_sampling.cu && ./record_sampling
//
// Each case is a line "case SHAPE FORMAT WIDTH HEIGHT DEPTH FILTER ADDRESS COORDINATES READ COLOR"
// and a line of samples "x,y,z,l>r,g,b,a": coordinates and results as hexadecimal bits, l a layer
// or an integer coordinate. Texels are those of texel_hash(), in x, y, z, channel order.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}
#define CHECK(call) check(call, #call)

struct Place {
  float x, y, z;
  int layer;
};

/// Bits of channel value `n`; sampling_test.cpp has the same.
std::uint32_t texel_hash(std::uint32_t n) {
  n = (n + 1) * 2654435761u;
  n ^= n >> 15;
  n *= 2246822519u;
  return n ^ n >> 13;
}

std::uint32_t texel_bits(char kind, int bits, std::uint32_t n) {
  const std::uint32_t hash = texel_hash(n);
  if (kind == 'f' && bits == 16) return 0x3400u | (hash & 0x8bff);  // 0.25 to 0.75, either sign
  if (kind == 'f') {
    const float value =
        static_cast<float>(static_cast<std::int32_t>(hash >> 8 & 0xffff) - 32768) / 256;
    std::uint32_t out;
    std::memcpy(&out, &value, 4);
    return out;
  }
  return bits == 32 ? hash : hash & ((1u << bits) - 1);
}

enum Shape {
  s1d,
  s2d,
  s3d,
  a1d,
  a2d,
  cube,
  acube,
  fetch,
  pitch,
  gather0,
  gather1,
  gather2,
  gather3
};
const char* const shape_names[] = {"1d",      "2d",      "3d",     "a1d",   "a2d",
                                   "cube",    "acube",   "fetch",  "pitch", "gather0",
                                   "gather1", "gather2", "gather3"};

template <class T>
__global__ void sample(cudaTextureObject_t texture, Shape shape, const Place* places, T* out,
                       int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const Place at = places[i];
  switch (shape) {
    case s1d:
      out[i] = tex1D<T>(texture, at.x);
      break;
    case s2d:
    case pitch:
      out[i] = tex2D<T>(texture, at.x, at.y);
      break;
    case s3d:
      out[i] = tex3D<T>(texture, at.x, at.y, at.z);
      break;
    case a1d:
      out[i] = tex1DLayered<T>(texture, at.x, at.layer);
      break;
    case a2d:
      out[i] = tex2DLayered<T>(texture, at.x, at.y, at.layer);
      break;
    case cube:
      out[i] = texCubemap<T>(texture, at.x, at.y, at.z);
      break;
    case acube:
      out[i] = texCubemapLayered<T>(texture, at.x, at.y, at.z, at.layer);
      break;
    case fetch:
      out[i] = tex1Dfetch<T>(texture, at.layer);
      break;
    case gather0:
      out[i] = tex2Dgather<T>(texture, at.x, at.y, 0);
      break;
    case gather1:
      out[i] = tex2Dgather<T>(texture, at.x, at.y, 1);
      break;
    case gather2:
      out[i] = tex2Dgather<T>(texture, at.x, at.y, 2);
      break;
    case gather3:
      out[i] = tex2Dgather<T>(texture, at.x, at.y, 3);
      break;
  }
}

struct Case {
  Shape shape;
  const char* format;  ///< "f32x1": kind, bits, channels
  int width, height, depth;
  bool linear;
  const char* address;  ///< wrap, clamp, mirror, border
  bool normalized;
  const char* read;  ///< element, float, srgb
  float color = 0;   ///< of the border
};

std::uint32_t random_state = 1;
std::uint32_t random_bits() {
  random_state = random_state * 1664525u + 1013904223u;
  return random_state >> 8;
}

/// A coordinate beside, at and around `size` texels.
float coordinate(int size, bool normalized, int turn) {
  const float unit = static_cast<float>(random_bits()) / (1 << 24);
  float at;
  if (turn % 4 == 0) {
    at = static_cast<float>(
             static_cast<int>(random_bits() % (2u * static_cast<unsigned>(size) + 4)) - 2) /
         2;
  } else if (turn % 4 == 1) {
    at =
        static_cast<float>(static_cast<int>(random_bits() % (512u * static_cast<unsigned>(size)))) /
        512;
  } else {
    at = unit * static_cast<float>(size + 3) - 1.5f;
  }
  if (!normalized) return at;
  if (turn % 4 == 3) return unit * 5 - 2;
  return at / static_cast<float>(size);
}

std::vector<Place> places_of(const Case& what, int count) {
  std::vector<Place> places;
  const bool is_cube = what.shape == cube || what.shape == acube;
  for (int i = 0; i < count; ++i) {
    Place at{};
    at.x = coordinate(what.width, what.normalized, i);
    at.y = coordinate(what.height, what.normalized, i);
    at.z = coordinate(what.depth, what.normalized, i);
    if (is_cube) {
      at.x = static_cast<float>(random_bits()) / (1 << 23) - 1;
      at.y = static_cast<float>(random_bits()) / (1 << 23) - 1;
      at.z = static_cast<float>(random_bits()) / (1 << 23) - 1;
    }
    at.layer = what.shape == fetch
                   ? static_cast<int>(random_bits() % static_cast<unsigned>(what.width + 8)) - 4
                   : static_cast<int>(random_bits() % static_cast<unsigned>(what.depth + 3)) - 1;
    places.push_back(at);
  }
  const float strange[] = {-0.0f, 1e9f, -1e9f, INFINITY, -INFINITY, NAN};
  if (!is_cube && what.shape != fetch)
    for (float one : strange) {
      Place at = places[2];
      at.x = one;
      places.push_back(at);
    }
  return places;
}

template <class T>
void run(cudaTextureObject_t texture, const Case& what, const std::vector<Place>& places) {
  const int count = static_cast<int>(places.size());
  Place* in;
  T* out;
  CHECK(cudaMalloc(&in, sizeof(Place) * places.size()));
  CHECK(cudaMalloc(&out, sizeof(T) * places.size()));
  CHECK(cudaMemcpy(in, places.data(), sizeof(Place) * places.size(), cudaMemcpyHostToDevice));
  sample<T><<<(count + 63) / 64, 64>>>(texture, what.shape, in, out, count);
  CHECK(cudaGetLastError());
  std::vector<uint4> results(places.size());
  CHECK(cudaMemcpy(results.data(), out, sizeof(T) * places.size(), cudaMemcpyDeviceToHost));
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::uint32_t bits[4];
    std::memcpy(bits, &places[i], sizeof bits);
    std::printf("%s%x,%x,%x,%x>%x,%x,%x,%x", i ? " " : "", bits[0], bits[1], bits[2], bits[3],
                results[i].x, results[i].y, results[i].z, results[i].w);
  }
  std::printf("\n");
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
}

void record(const Case& what, int count) {
  const char kind = what.format[0];
  const int bits = std::atoi(what.format + 1),
            channels = what.format[std::strlen(what.format) - 1] - '0';
  const int texel = bits / 8 * channels;
  const bool is_cube = what.shape == cube || what.shape == acube;
  const int slices = what.shape == acube ? 6 * what.depth : what.shape == cube ? 6 : what.depth;
  std::vector<unsigned char> data;
  for (std::uint32_t n = 0;
       n < static_cast<std::uint32_t>(what.width * what.height * slices * channels); ++n) {
    const std::uint32_t value = texel_bits(kind, bits, n);
    for (int byte = 0; byte < bits / 8; ++byte)
      data.push_back(static_cast<unsigned char>(value >> 8 * byte));
  }
  const int b[4] = {bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                    channels > 3 ? bits : 0};
  const cudaChannelFormatDesc format =
      cudaCreateChannelDesc(b[0], b[1], b[2], b[3],
                            kind == 'f'   ? cudaChannelFormatKindFloat
                            : kind == 's' ? cudaChannelFormatKindSigned
                                          : cudaChannelFormatKindUnsigned);
  cudaResourceDesc resource{};
  cudaArray_t array = nullptr;
  unsigned char* memory = nullptr;
  if (what.shape == fetch) {
    CHECK(cudaMalloc(&memory, data.size()));
    CHECK(cudaMemcpy(memory, data.data(), data.size(), cudaMemcpyHostToDevice));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear = {memory, format, data.size()};
  } else if (what.shape == pitch) {
    std::size_t pitch_bytes;
    const std::size_t row = static_cast<std::size_t>(what.width * texel);
    CHECK(cudaMallocPitch(&memory, &pitch_bytes, row, static_cast<std::size_t>(what.height)));
    CHECK(cudaMemcpy2D(memory, pitch_bytes, data.data(), row, row,
                       static_cast<std::size_t>(what.height), cudaMemcpyHostToDevice));
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {memory, format, static_cast<std::size_t>(what.width),
                            static_cast<std::size_t>(what.height), pitch_bytes};
  } else {
    const auto w = static_cast<std::size_t>(what.width), h = static_cast<std::size_t>(what.height);
    const bool flat = what.shape == s1d || what.shape == a1d;
    const bool deep = what.shape == s3d || what.shape == a1d || what.shape == a2d || is_cube;
    unsigned flags = 0;
    if (what.shape == a1d || what.shape == a2d || what.shape == acube) flags |= cudaArrayLayered;
    if (is_cube) flags |= cudaArrayCubemap;
    if (what.shape >= gather0) flags |= cudaArrayTextureGather;
    const cudaExtent extent =
        make_cudaExtent(w, flat ? 0 : h, deep ? static_cast<std::size_t>(slices) : 0);
    CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(data.data(), w * static_cast<std::size_t>(texel), w, h);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(w, h, static_cast<std::size_t>(slices));
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
  }
  cudaTextureDesc how{};
  for (cudaTextureAddressMode& mode : how.addressMode) {
    mode = what.address[0] == 'w'   ? cudaAddressModeWrap
           : what.address[0] == 'm' ? cudaAddressModeMirror
           : what.address[0] == 'c' ? cudaAddressModeClamp
                                    : cudaAddressModeBorder;
  }
  how.filterMode = what.linear ? cudaFilterModeLinear : cudaFilterModePoint;
  how.readMode = what.read[0] == 'e' ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
  how.sRGB = what.read[0] == 's';
  how.normalizedCoords = what.normalized;
  for (int i = 0; i < 4; ++i) how.borderColor[i] = what.color * static_cast<float>(i + 1);
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  std::printf("case %s %s %d %d %d %s %s %s %s %g\n", shape_names[what.shape], what.format,
              what.width, what.height, what.depth, what.linear ? "linear" : "point", what.address,
              what.normalized ? "normalized" : "texels", what.read,
              static_cast<double>(what.color));
  const std::vector<Place> places = places_of(what, count);
  if (kind == 'f' || what.read[0] != 'e') {
    run<float4>(texture, what, places);
  } else if (kind == 's') {
    run<int4>(texture, what, places);
  } else {
    run<uint4>(texture, what, places);
  }
  CHECK(cudaDestroyTextureObject(texture));
  if (array) CHECK(cudaFreeArray(array));
  if (memory) CHECK(cudaFree(memory));
}

}  // namespace

int main() {
  cudaDeviceProp device;
  int driver = 0;
  CHECK(cudaGetDeviceProperties(&device, 0));
  CHECK(cudaDriverGetVersion(&driver));
  std::printf(
      "# Results of texture fetches on %s, CUDA %d. Written by record_sampling.cu, which says how "
      "to read it.\n",
      device.name, driver);
  constexpr int few = 24, many = 40;
  const struct {
    const char* mode;
    bool normalized;
  } modes[] = {{"clamp", false}, {"border", false}, {"wrap", true},
               {"mirror", true}, {"clamp", true},   {"border", true}};
  for (const auto& mode : modes) {
    for (const bool linear : {false, true}) {
      record({s1d, "f32x1", 13, 1, 1, linear, mode.mode, mode.normalized, "element"}, many);
      record({s2d, "f32x1", 13, 7, 1, linear, mode.mode, mode.normalized, "element"}, many);
      record({s3d, "f32x1", 7, 5, 4, linear, mode.mode, mode.normalized, "element"}, few);
    }
    record({gather0, "f32x1", 13, 7, 1, false, mode.mode, mode.normalized, "element"}, few);
    record({a2d, "f32x2", 6, 5, 3, true, mode.mode, mode.normalized, "element"}, few);
  }
  record({s1d, "f32x1", 1000, 1, 1, true, "wrap", true, "element"}, many);
  record({a1d, "f32x1", 9, 1, 3, true, "clamp", false, "element"}, few);
  record({a2d, "f32x1", 6, 5, 3, false, "clamp", false, "element"}, few);
  for (const bool linear : {false, true})
    for (const char* format : {"u8x1", "s8x1", "u8x4", "s8x2", "u16x1", "s16x1", "u16x2", "s16x4"})
      record({s2d, format, 13, 7, 1, linear, "clamp", false, "float"}, few);
  for (const char* format : {"f16x1", "f16x4", "f32x2", "f32x4"})
    record({s2d, format, 13, 7, 1, true, "clamp", false, "element"}, few);
  for (const char* format : {"u8x1", "s8x2", "u8x4", "s16x1", "u16x4", "s32x1", "u32x2", "s32x4"})
    record({s2d, format, 13, 7, 1, false, "border", false, "element"}, few);
  record({s2d, "u8x4", 13, 7, 1, false, "clamp", false, "srgb"}, few);
  record({s2d, "u8x4", 13, 7, 1, true, "clamp", false, "srgb"}, few);
  record({s2d, "f32x4", 13, 7, 1, true, "border", false, "element", 2.5f}, few);
  record({s2d, "u8x4", 13, 7, 1, true, "border", true, "float", 0.125f}, few);
  record({s2d, "s32x2", 13, 7, 1, false, "border", true, "element", 3}, few);
  for (const Shape shape : {gather1, gather2, gather3}) {
    record({shape, "u8x4", 13, 7, 1, false, "clamp", false, "element"}, few);
    record({shape, "u8x4", 13, 7, 1, false, "wrap", true, "float"}, few);
  }
  record({cube, "f32x1", 8, 8, 1, false, "clamp", true, "element"}, many);
  record({cube, "f32x1", 8, 8, 1, true, "clamp", true, "element"}, many);
  record({cube, "f32x1", 8, 8, 1, true, "wrap", true, "element"}, many);
  record({acube, "f32x1", 8, 8, 2, false, "clamp", true, "element"}, many);
  record({fetch, "f32x1", 21, 1, 1, false, "clamp", false, "element"}, few);
  record({fetch, "u8x4", 21, 1, 1, false, "clamp", false, "float"}, few);
  record({fetch, "s16x2", 21, 1, 1, false, "clamp", false, "element"}, few);
  record({fetch, "f16x1", 21, 1, 1, false, "clamp", false, "element"}, few);
  record({pitch, "f32x1", 13, 7, 1, true, "clamp", false, "element"}, few);
  record({pitch, "u8x4", 13, 7, 1, true, "wrap", true, "float"}, few);
  record({pitch, "f32x1", 13, 7, 1, false, "border", true, "element"}, few);
}
