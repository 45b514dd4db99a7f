// A histogram for each tile of an image, read through a texture.
//
//     ./lab sim labs/histogram/examples/tiles.cu      without a GPU, of an image of its own
//     nvcc -std=c++20 -I. -o tiles labs/histogram/examples/tiles.cu && ./tiles photo.pgm
//                                                     on a GPU, of yours
//
// Prints the median grey of each tile of 32 x 32 pixels.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "common/example.h"
#include "labs/histogram/histogram.h"
#include "labs/histogram/pgm.h"

namespace {

using histogram::byte_bins;
using histogram::Image;

constexpr int tile = 32;       // columns and rows
constexpr int block_rows = 8;  // 32 x 8 threads count a tile
constexpr int block_threads = tile * block_rows;
static_assert(block_threads == byte_bins, "thread t clears and writes bin t");

/// Block (x, y) counts the greys of tile (x, y) into bins[tile's number][0 … 255].
__global__ void count_tiles(cudaTextureObject_t image, int width, int height, std::uint32_t* bins) {
  __shared__ std::uint32_t counts[byte_bins];
  const unsigned tid = threadIdx.y * tile + threadIdx.x;
  counts[tid] = 0;
  __syncthreads();
  const int x = static_cast<int>(blockIdx.x) * tile + static_cast<int>(threadIdx.x);
  for (int row = static_cast<int>(threadIdx.y); row < tile; row += block_rows) {
    const int y = static_cast<int>(blockIdx.y) * tile + row;
    // A texture gives an edge pixel for places outside. Those are read without harm, and must not
    // be counted.
    const unsigned char grey = tex2D<unsigned char>(image, x + 0.5f, y + 0.5f);
    if (x < width && y < height) atomicAdd(&counts[grey], 1u);
  }
  __syncthreads();
  bins[(std::int64_t{blockIdx.y} * gridDim.x + blockIdx.x) * byte_bins + tid] = counts[tid];
}

/// The image in an array of the device, whose layout keeps neighbours in both directions close,
/// and the texture through which kernels read it.
class ImageTexture {
 public:
  explicit ImageTexture(const Image& image) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
    check(cudaMallocArray(&array_, &format, image.width, image.height));
    check(cudaMemcpy2DToArray(array_, 0, 0, image.pixels.data(), image.width, image.width,
                              image.height, cudaMemcpyHostToDevice));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_;
    cudaTextureDesc reading{};
    reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeClamp;
    reading.filterMode = cudaFilterModePoint;  // a pixel as it is, not a mean of neighbours
    reading.readMode = cudaReadModeElementType;
    check(cudaCreateTextureObject(&texture_, &resource, &reading, nullptr));
  }
  ~ImageTexture() {
    cudaDestroyTextureObject(texture_);
    cudaFreeArray(array_);
  }
  ImageTexture(const ImageTexture&) = delete;
  ImageTexture& operator=(const ImageTexture&) = delete;

  cudaTextureObject_t get() const { return texture_; }

 private:
  cudaArray_t array_ = nullptr;
  cudaTextureObject_t texture_ = 0;
};

std::vector<std::uint32_t> count(const Image& image, dim3 tiles) {
  const ImageTexture texture(image);
  DeviceArray<std::uint32_t> bins(std::size_t{tiles.x} * tiles.y * byte_bins);
  count_tiles<<<tiles, dim3(tile, block_rows)>>>(texture.get(), image.width, image.height,
                                                 bins.data());
  check(cudaGetLastError());
  return bins.to_host();
}

/// The grey that half of the counted pixels are not above.
int median(const std::uint32_t* counts) {
  std::uint64_t pixels = 0, darker = 0;
  for (int grey = 0; grey < byte_bins; ++grey) pixels += counts[grey];
  int grey = 0;
  while (2 * (darker + counts[grey]) < pixels) darker += counts[grey++];
  return grey;
}

}  // namespace

int main(int argc, char** argv) try {
  const Image image = argc > 1 ? histogram::load_pgm(argv[1]) : histogram::misty_ball(320, 240);
  const dim3 tiles((image.width + tile - 1) / tile, (image.height + tile - 1) / tile);
  const std::vector<std::uint32_t> counts = count(image, tiles);
  for (unsigned y = 0; y < tiles.y; ++y) {
    for (unsigned x = 0; x < tiles.x; ++x)
      std::printf("%4d", median(&counts[(std::size_t{y} * tiles.x + x) * byte_bins]));
    std::printf("\n");
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "tiles: %s\n", error.what());
  return 1;
}
