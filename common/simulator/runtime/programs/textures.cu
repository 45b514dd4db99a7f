// Fetches of every shape, filter and address mode against formulas on the host.
#include <cmath>
#include <vector>

#include "check.h"

constexpr int width = 9, height = 6, depth = 4;

struct Place {
  float x, y, z;
  int layer;
};

enum Shape { flat, square, solid, flat_layers, square_layers };

__global__ void fetch(cudaTextureObject_t texture, Shape shape, const Place* places, float* out,
                      int count) {
  const int i = static_cast<int>(threadIdx.x);
  if (i >= count) return;
  const Place at = places[i];
  switch (shape) {
    case flat:
      out[i] = tex1D<float>(texture, at.x);
      break;
    case square:
      out[i] = tex2D<float>(texture, at.x, at.y);
      break;
    case solid:
      out[i] = tex3D<float>(texture, at.x, at.y, at.z);
      break;
    case flat_layers:
      out[i] = tex1DLayered<float>(texture, at.x, at.layer);
      break;
    case square_layers:
      out[i] = tex2DLayered<float>(texture, at.x, at.y, at.layer);
      break;
  }
}

__global__ void fetch_elements(cudaTextureObject_t texture, int first, int4* out) {
  out[threadIdx.x] = tex1Dfetch<int4>(texture, first + static_cast<int>(threadIdx.x));
}

__global__ void fetch_bytes(cudaTextureObject_t texture, float4* out) {
  out[threadIdx.x] = tex2D<float4>(texture, threadIdx.x + 0.5f, 1.5f);
}

/// The texel of index `i` along an axis of `size`, or -1.
int index(int i, int size, cudaTextureAddressMode mode) {
  if (mode == cudaAddressModeWrap) return (i % size + size) % size;
  if (mode == cudaAddressModeMirror) {
    i = (i % (2 * size) + 2 * size) % (2 * size);
    return i < size ? i : 2 * size - 1 - i;
  }
  if (mode == cudaAddressModeBorder) return i < 0 || i >= size ? -1 : i;
  return i < 0 ? 0 : i >= size ? size - 1 : i;
}

struct Oracle {
  const std::vector<float>& texels;
  cudaTextureAddressMode mode;
  bool linear, normalized;

  float texel(int x, int y, int z, int axes, int layer) const {
    x = index(x, width, mode);
    y = axes > 1 ? index(y, height, mode) : 0;
    z = axes > 2 ? index(z, depth, mode) : layer;
    if (x < 0 || y < 0 || z < 0) return 0;
    return texels[static_cast<std::size_t>((z * (axes > 1 ? height : 1) + y) * width + x)];
  }

  float operator()(const Place& at, int axes, int layer) const {
    double place[3] = {at.x, at.y, at.z};
    const int sizes[3] = {width, height, depth};
    int low[3] = {};
    double part[3] = {};
    for (int i = 0; i < axes; ++i) {
      if (normalized) place[i] *= sizes[i];
      if (linear) place[i] -= 0.5;
      low[i] = static_cast<int>(std::floor(place[i]));
      part[i] = linear ? place[i] - low[i] : 0;
    }
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      double weight = 1;
      for (int i = 0; i < 3; ++i) weight *= (corner >> i & 1) != 0 ? part[i] : 1 - part[i];
      if (weight == 0) continue;
      sum += weight * texel(low[0] + (corner & 1), low[1] + (corner >> 1 & 1),
                            low[2] + (corner >> 2 & 1), axes, layer);
    }
    return static_cast<float>(sum);
  }
};

cudaArray_t array_of(Shape shape, const std::vector<float>& texels) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  const bool layered = shape == flat_layers || shape == square_layers;
  const bool rows = shape != flat && shape != flat_layers;
  const bool deep = shape != flat && shape != square;
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &format,
                          make_cudaExtent(width, rows ? height : 0, deep ? depth : 0),
                          layered ? cudaArrayLayered : 0));
  cudaMemcpy3DParms copy{};
  const std::size_t height_here = rows ? height : 1, depth_here = deep ? depth : 1;
  copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(texels.data()), width * sizeof(float), width,
                                    height_here);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(width, height_here, depth_here);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  return array;
}

void check_shape(Shape shape, cudaTextureAddressMode mode, bool linear) {
  std::vector<float> texels(width * height * depth);
  for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i * 37 % 101);
  cudaArray_t array = array_of(shape, texels);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = mode;
  const bool normalized = mode == cudaAddressModeWrap || mode == cudaAddressModeMirror;
  // A one-dimensional texture is filtered along y as well, at y = 0: not across the border there.
  if (shape == flat || shape == flat_layers) how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  how.normalizedCoords = normalized;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));

  constexpr int count = 128;
  std::vector<Place> places(count);
  for (int i = 0; i < count; ++i) {
    // In steps of 1/8 texel, from beyond one end to beyond the other.
    const auto along = [&](int size, int step) {
      const float at = static_cast<float>((i * step) % (8 * (size + 6))) / 8 - 2.9375f;
      return normalized ? at / static_cast<float>(size) : at;
    };
    places[i] = {along(width, 5), along(height, 3), along(depth, 7), i % depth};
  }
  Place* device_places;
  float* out;
  CHECK(cudaMalloc(&device_places, count * sizeof(Place)));
  CHECK(cudaMalloc(&out, count * sizeof(float)));
  CHECK(cudaMemcpy(device_places, places.data(), count * sizeof(Place), cudaMemcpyHostToDevice));
  fetch<<<1, count>>>(texture, shape, device_places, out, count);
  std::vector<float> results(count);
  CHECK(cudaMemcpy(results.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost));

  const int axes = shape == flat || shape == flat_layers ? 1 : shape == solid ? 3 : 2;
  const bool layered = shape == flat_layers || shape == square_layers;
  const Oracle oracle{texels, mode, linear, normalized};
  for (int i = 0; i < count; ++i) {
    const float expected = oracle(places[i], axes, layered ? places[i].layer : 0);
    // Three weights, each rounded to 1/256, of texels up to 100.
    const float tolerance = linear ? 1.5f : 0;
    if (std::fabs(results[i] - expected) <= tolerance) continue;
    std::printf("shape %d mode %d linear %d at %g %g %g: %g, not %g\n", shape, mode, linear,
                places[i].x, places[i].y, places[i].z, results[i], expected);
    std::exit(1);
  }
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(device_places));
  CHECK(cudaFree(out));
}

/// Linear memory: elements by index, zeros beyond both ends.
void check_linear_memory() {
  std::vector<short4> texels(10);
  for (short i = 0; i < 10; ++i) {
    texels[static_cast<std::size_t>(i)] =
        make_short4(i, static_cast<short>(-i), static_cast<short>(100 * i), 7);
  }
  short4* memory;
  int4* out;
  CHECK(cudaMalloc(&memory, sizeof(short4) * 10));
  CHECK(cudaMalloc(&out, sizeof(int4) * 16));
  CHECK(cudaMemcpy(memory, texels.data(), sizeof(short4) * 10, cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {memory, cudaCreateChannelDesc<short4>(), sizeof(short4) * 10};
  const cudaTextureDesc how{};
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  std::size_t most = 0;
  CHECK(cudaDeviceGetTexture1DLinearMaxWidth(&most, &floats, 0));
  EXPECT(most == std::size_t{1} << 30);
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  fetch_elements<<<1, 16>>>(texture, -3, out);
  int4 results[16];
  CHECK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 16; ++i) {
    const int at = i - 3;
    const bool inside = at >= 0 && at < 10;
    EXPECT(results[i].x == (inside ? at : 0) && results[i].y == (inside ? -at : 0));
    EXPECT(results[i].z == (inside ? 100 * at : 0) && results[i].w == (inside ? 7 : 0));
  }
  CHECK(cudaDestroyTextureObject(texture));
}

/// Pitched memory, bytes read as numbers from 0 to 1.
void check_pitched_memory() {
  uchar4 texels[3][5];
  for (unsigned char y = 0; y < 3; ++y) {
    for (unsigned char x = 0; x < 5; ++x) {
      texels[y][x] = make_uchar4(static_cast<unsigned char>(51 * x),
                                 static_cast<unsigned char>(51 * y), 255, 0);
    }
  }
  uchar4* memory;
  std::size_t pitch;
  float4* out;
  CHECK(cudaMallocPitch(&memory, &pitch, sizeof texels[0], 3));
  CHECK(cudaMalloc(&out, sizeof(float4) * 5));
  CHECK(cudaMemcpy2D(memory, pitch, texels, sizeof texels[0], sizeof texels[0], 3,
                     cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {memory, cudaCreateChannelDesc<uchar4>(), 5, 3, pitch};
  cudaTextureDesc how{};
  how.readMode = cudaReadModeNormalizedFloat;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  fetch_bytes<<<1, 5>>>(texture, out);
  float4 results[5];
  CHECK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
  for (int x = 0; x < 5; ++x) {
    EXPECT(std::fabs(results[x].x - 0.2f * static_cast<float>(x)) < 1e-6f);
    EXPECT(std::fabs(results[x].y - 0.2f) < 1e-6f && results[x].z == 1 && results[x].w == 0);
  }
  cudaTextureDesc back;
  CHECK(cudaGetTextureObjectTextureDesc(&back, texture));
  EXPECT(back.readMode == cudaReadModeNormalizedFloat);
  cudaResourceDesc there;
  CHECK(cudaGetTextureObjectResourceDesc(&there, texture));
  EXPECT(there.resType == cudaResourceTypePitch2D && there.res.pitch2D.devPtr == memory);
  CHECK(cudaDestroyTextureObject(texture));
}

int main() {
  for (const Shape shape : {flat, square, solid, flat_layers, square_layers}) {
    for (const cudaTextureAddressMode mode : {cudaAddressModeWrap, cudaAddressModeClamp,
                                              cudaAddressModeMirror, cudaAddressModeBorder}) {
      check_shape(shape, mode, false);
      check_shape(shape, mode, true);
    }
  }
  check_linear_memory();
  check_pitched_memory();
  std::printf("right\n");
}
