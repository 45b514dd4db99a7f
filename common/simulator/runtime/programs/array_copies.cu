// Copies between host memory, pitched memory and arrays: odd pitches, offsets, parts of rows.
#include <cstring>
#include <vector>

#include "check.h"

using Bytes = std::vector<unsigned char>;

Bytes pattern(std::size_t bytes, int seed) {
  Bytes result(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    result[i] = static_cast<unsigned char>((i * 31 + static_cast<std::size_t>(seed) * 17) % 251);
  }
  return result;
}

constexpr std::size_t texel = 4, columns = 13, rows = 9, row = texel * columns;

Bytes content(cudaArray_t array) {
  Bytes result(row * rows);
  CHECK(cudaMemcpy2DFromArray(result.data(), row, array, 0, 0, row, rows, cudaMemcpyDeviceToHost));
  return result;
}

/// A region of `width` bytes x `height` written at (x, y) of a dense picture.
void paste(Bytes& picture, std::size_t x, std::size_t y, const Bytes& from, std::size_t pitch,
           std::size_t width, std::size_t height) {
  for (std::size_t i = 0; i < height; ++i) {
    std::memcpy(picture.data() + (y + i) * row + x, from.data() + i * pitch, width);
  }
}

void check_two_dimensions() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
  cudaArray_t array, other;
  CHECK(cudaMallocArray(&array, &format, columns, rows));
  CHECK(cudaMallocArray(&other, &format, columns, rows));
  Bytes expected = pattern(row * rows, 1);
  CHECK(cudaMemcpy2DToArray(array, 0, 0, expected.data(), row, row, rows, cudaMemcpyHostToDevice));
  EXPECT(content(array) == expected);

  const Bytes patch = pattern(61 * 5, 2);
  CHECK(cudaMemcpy2DToArray(array, 12, 3, patch.data(), 61, 28, 5, cudaMemcpyHostToDevice));
  paste(expected, 12, 3, patch, 61, 28, 5);
  EXPECT(content(array) == expected);

  unsigned char* memory;
  std::size_t pitch;
  CHECK(cudaMallocPitch(&memory, &pitch, 28, 5));
  CHECK(cudaMemcpy2D(memory, pitch, patch.data() + 1, 61, 28, 5, cudaMemcpyHostToDevice));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMemcpy2DToArrayAsync(array, 8, 0, memory, pitch, 28, 5, cudaMemcpyDeviceToDevice,
                                 stream));
  CHECK(cudaStreamSynchronize(stream));
  paste(expected, 8, 0, Bytes(patch.begin() + 1, patch.end()), 61, 28, 5);
  EXPECT(content(array) == expected);

  const Bytes whole = pattern(row * rows, 3);
  Bytes second = whole;
  CHECK(cudaMemcpy2DToArray(other, 0, 0, whole.data(), row, row, rows, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2DArrayToArray(other, 4, 2, array, 16, 1, 24, 6));
  Bytes piece;
  for (std::size_t y = 0; y < 6; ++y) {
    const auto from = expected.begin() + static_cast<std::ptrdiff_t>((y + 1) * row + 16);
    piece.insert(piece.end(), from, from + 24);
  }
  paste(second, 4, 2, piece, 24, 24, 6);
  EXPECT(content(other) == second);

  Bytes back(40 * 4, 0xee);
  CHECK(cudaMemcpy2DFromArray(back.data(), 40, other, 8, 5, 20, 4, cudaMemcpyDeviceToHost));
  for (std::size_t y = 0; y < 4; ++y) {
    EXPECT(std::memcmp(back.data() + y * 40, second.data() + (y + 5) * row + 8, 20) == 0);
    EXPECT(back[y * 40 + 20] == 0xee);
  }

  EXPECT(cudaMemcpy2DToArray(array, 4, 0, patch.data(), row, row, 1, cudaMemcpyHostToDevice) ==
         cudaErrorInvalidValue);
  EXPECT(cudaMemcpy2DToArray(array, 0, 0, patch.data(), 16, 20, 2, cudaMemcpyHostToDevice) ==
         cudaErrorInvalidPitchValue);
  EXPECT(cudaMemcpy2DToArray(array, 0, 0, patch.data(), 20, 20, 2, cudaMemcpyDeviceToHost) ==
         cudaErrorInvalidMemcpyDirection);
  CHECK(cudaFreeArray(array));
  EXPECT(cudaFreeArray(array) == cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

/// Rows that follow one another: from the middle of one row to the middle of another.
void check_runs() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, columns, rows));
  Bytes expected = pattern(row * rows, 4);
  const Bytes run = pattern(3 * row, 5);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  CHECK(cudaMemcpyToArray(array, 0, 0, expected.data(), row * rows, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToArray(array, 20, 2, run.data(), 2 * row + 4, cudaMemcpyHostToDevice));
  std::memcpy(expected.data() + 2 * row + 20, run.data(), 2 * row + 4);
  EXPECT(content(array) == expected);
  Bytes back(row + 8);
  CHECK(cudaMemcpyFromArray(back.data(), array, 40, 3, back.size(), cudaMemcpyDeviceToHost));
  EXPECT(std::memcmp(back.data(), expected.data() + 3 * row + 40, back.size()) == 0);
  EXPECT(cudaMemcpyToArray(array, 4, 8, run.data(), row, cudaMemcpyHostToDevice) ==
         cudaErrorInvalidValue);
#pragma GCC diagnostic pop
  cudaGetLastError();
  CHECK(cudaFreeArray(array));
}

/// A region inside a volume: host to array to pitched memory to host.
void check_three_dimensions() {
  constexpr std::size_t x = 7, y = 5, z = 4;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<short2>();
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(x, y, z)));
  const Bytes source = pattern(x * 4 * y * z, 6);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<unsigned char*>(source.data()), x * 4, x, y);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(x, y, z);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));

  cudaPitchedPtr memory;
  CHECK(cudaMalloc3D(&memory, make_cudaExtent(40, 6, 5)));
  EXPECT(memory.pitch >= 40 && memory.ysize == 6);
  CHECK(cudaMemset3D(memory, 0xaa, make_cudaExtent(40, 6, 5)));
  copy = {};
  copy.srcArray = array;
  copy.srcPos = make_cudaPos(2, 1, 1);
  copy.dstPtr = memory;
  copy.dstPos = make_cudaPos(3, 2, 1);
  copy.extent = make_cudaExtent(4, 3, 2);
  copy.kind = cudaMemcpyDeviceToDevice;
  CHECK(cudaMemcpy3D(&copy));

  Bytes back(40 * 6 * 5);
  copy = {};
  copy.srcPtr = memory;
  copy.dstPtr = make_cudaPitchedPtr(back.data(), 40, 40, 6);
  copy.extent = make_cudaExtent(40, 6, 5);
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3DAsync(&copy));
  CHECK(cudaDeviceSynchronize());
  for (std::size_t k = 0; k < 5; ++k) {
    for (std::size_t j = 0; j < 6; ++j) {
      for (std::size_t i = 0; i < 40; ++i) {
        const bool inside = i >= 3 && i < 19 && j >= 2 && j < 5 && k >= 1 && k < 3;
        const unsigned char expected = inside ? source[(k * y + j - 1) * x * 4 + i - 3 + 8] : 0xaa;
        EXPECT(back[(k * 6 + j) * 40 + i] == expected);
      }
    }
  }
  cudaExtent extent;
  unsigned flags = 1;
  cudaChannelFormatDesc same;
  CHECK(cudaArrayGetInfo(&same, &extent, &flags, array));
  EXPECT(extent.width == x && extent.depth == z && flags == 0 && same.y == 16);
}

int main() {
  check_two_dimensions();
  check_runs();
  check_three_dimensions();
  std::printf("right\n");
}
