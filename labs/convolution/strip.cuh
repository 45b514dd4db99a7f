// Given to stages 3 and 5: a warp goes down a strip of the image, and this fetches the rows for it.
//
// A strip is 128 columns wide, four for each lane, and a filter of `taps` columns reaches over its
// edges: taps - 1 columns more. Which of an image's columns the lane fetches, and what stands in
// their place where there are none, is the same for all rows, so it is found out once.
//
// Rows are fetched into registers, some ahead of their use, and put into shared memory when they
// are needed: what is on its way holds nobody up.
#pragma once

#include <algorithm>
#include <cstdint>

#include "labs/convolution/image.cuh"

namespace convolution {

constexpr int lane_columns = 4;  // one 16-byte load from shared memory
constexpr int strip_columns = 32 * lane_columns;

template <int taps>
class Strip {
 public:
  static constexpr int columns = strip_columns + taps - 1;     ///< that are read
  static constexpr int of_lane = (columns + 31) / 32;          ///< of these, fetched by each lane
  static constexpr int buffer_floats = (columns + 3) / 4 * 4;  ///< a row in shared memory

  /// One lane's share of a row.
  struct Part {
    float pixels[of_lane];
  };

  /// `first` is the leftmost column that is read, which may lie outside of the image, and `buffers`
  /// where the warp's rows will be put: what stays 0 in them for good is cleared here.
  template <int rows>
  __device__ Strip(const Image& in, int first, float (&buffers)[rows][buffer_floats]) : in_(in) {
#pragma unroll
    for (int k = 0; k < of_lane; ++k) {
      const int place = static_cast<int>(threadIdx.x) + 32 * k;
      const int column = first + min(place, columns - 1);
      const int nearest = min(max(column, 0), in.width - 1);
      byte_[k] = static_cast<unsigned>(nearest) * sizeof(float);
      put_[k] = place < columns && (in.border == Border::clamp || column == nearest);
      if (put_[k] || place >= buffer_floats) continue;
      for (int row = 0; row < rows; ++row) buffers[row][place] = 0.0f;
    }
  }

  /// Asks for the lane's share of row y, which may lie outside of the image.
  __device__ Part fetch(int y) const {
    Part part = {};
    const int nearest = min(max(y, 0), in_.height - 1);
    if (in_.border == Border::zero && y != nearest) return part;
    const char* row = reinterpret_cast<const char*>(in_.pixels + std::int64_t{nearest} * in_.width);
#pragma unroll
    for (int k = 0; k < of_lane; ++k)
      part.pixels[k] = __ldg(reinterpret_cast<const float*>(row + byte_[k]));
    return part;
  }

  /// Puts the lane's share where the warp's row is wanted.
  __device__ void put(const Part& part, float (&buffer)[buffer_floats]) const {
#pragma unroll
    for (int k = 0; k < of_lane; ++k) {
      if (put_[k]) buffer[threadIdx.x + 32 * k] = part.pixels[k];
    }
  }

 private:
  Image in_;
  unsigned byte_[of_lane];  ///< where in a row the lane's pixels stand
  bool put_[of_lane];       ///< whether they are wanted: else 0 stands in their place
};

/// The taps + 3 pixels of a row that the lane's four results need.
template <int taps>
struct Window {
  static constexpr int vectors = (taps + 3 + 3) / 4;
  float pixels[4 * vectors];

  /// From a row in shared memory.
  __device__ explicit Window(const float* buffer) {
#pragma unroll
    for (int k = 0; k < vectors; ++k) {
      const float4 v = reinterpret_cast<const float4*>(buffer)[threadIdx.x + k];
      pixels[4 * k] = v.x;
      pixels[4 * k + 1] = v.y;
      pixels[4 * k + 2] = v.z;
      pixels[4 * k + 3] = v.w;
    }
  }
};

/// Writes the lane's four results to row[column] …, as far as the row of `width` floats goes. 16
/// bytes at once where the address allows it, which in an image of odd width is every fourth row.
__device__ inline void store_results(float* row, int column, int width,
                                     const float (&results)[lane_columns]) {
  float* to = row + column;
  if (column + lane_columns <= width && reinterpret_cast<std::uintptr_t>(to) % 16 == 0) {
    *reinterpret_cast<float4*>(to) = {results[0], results[1], results[2], results[3]};
    return;
  }
#pragma unroll
  for (int x = 0; x < lane_columns; ++x) {
    if (column + x < width) to[x] = results[x];
  }
}

/// Adds what row[column] … hold to the lane's four results.
__device__ inline void add_results(const float* row, int column, int width,
                                   float (&results)[lane_columns]) {
#pragma unroll
  for (int x = 0; x < lane_columns; ++x) {
    if (column + x < width) results[x] += row[column + x];
  }
}

/// Rows that each strip should have: as long as they can be, for a strip begins with rows that only
/// reach into it, and so many that the device is full. `resident` are the warps that it holds.
inline int strip_rows(int width, int height, int taps, int resident) {
  const int strips = static_cast<int>(pieces(width, strip_columns));
  const int pieces_of_a_strip = std::max(1, resident / strips);
  return std::max(4 * taps, static_cast<int>(pieces(height, pieces_of_a_strip)));
}

/// Blocks of `threads` threads that the device holds at once.
template <class Kernel>
int resident_blocks(Kernel kernel, int threads) {
  int device = 0, multiprocessors = 0, resident = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, 0);
  return multiprocessors * resident;
}

}  // namespace convolution
