// The contract of the convolution lab: what every stage implements and what the grader holds it to.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/contract.h"

namespace convolution {

constexpr int largest_filter = 33;  ///< rows and columns

/// What stands outside of the image.
enum class Border : std::int32_t {
  zero,   ///< pixels of value 0
  clamp,  ///< the nearest pixel of the image
};

/// Bytes of scratch that each call is given: room for one more image and one more filter, both
/// with a margin of 4096 floats.
constexpr std::size_t scratch_bytes(int width, int height) {
  return (static_cast<std::size_t>(width) * height + 2 * 4096) * sizeof(float);
}

}  // namespace convolution

/// Stages 0 to 3. With p(x, y) the pixel in column x of row y, and what `border` says where there
/// is none, pixel (x, y) of the result is the sum over j and i from 0 to size - 1 of
///
///     filter[j * size + i] * p(x + i - size / 2, y + j - size / 2)
///
/// so the tap in column size / 2 of row size / 2 lies on the pixel itself, also when size is even.
/// (Whoever wants the filter mirrored, as in the textbooks' definition, gives a mirrored filter.)
///
///   in       width * height floats on the device, row by row from the top left
///   out      as many; does not overlap with the input
///   width    0 … 65536 columns
///   height   0 … 65536 rows: the index of a pixel needs 64 bits
///   filter   size * size floats on the device, row by row
///   size     1 … 33, odd or even
///   scratch  convolution::scratch_bytes(width, height) bytes, contents undefined
///   stream   carries all work; the function may return before the result is there
///
/// Pointers are aligned to 4 bytes, and to no more than that. Pixels and taps are 0 or of a
/// magnitude from 1e-9 to 1e9. One call at a time: the next one is made when the stream is through
/// with this one.
///
/// Products may be added in any order: |out - sum| <= d u / (1 - d u) * the sum of the products'
/// magnitudes, with u = 2^-24 the rounding error of one operation and d = size * size the most that
/// a product can go through, itself included (Higham, Accuracy and Stability of Numerical
/// Algorithms, 3.1). Equal calls give equal bits.
void convolve(const float* in, float* out, int width, int height, const float* filter, int size,
              convolution::Border border, gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(convolve);

/// Stages 4 and 5. The same for a filter that is the product of a column and a row: tap (i, j) is
/// filter_y[j] * filter_x[i]. Both have `size` taps; d = size * size + 1, for there is one product
/// more. The rest as for convolve().
void convolve_separable(const float* in, float* out, int width, int height, const float* filter_x,
                        const float* filter_y, int size, convolution::Border border,
                        gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(convolve_separable);
