// What a histogram is good for: an image in which hardly any grey is used, spread over all of them.
//
//     nvcc -std=c++20 -I. -lineinfo -cudart shared -gencode arch=compute_75,code=compute_75 \
//          -o equalize labs/histogram/examples/equalize.cu labs/histogram/5_lane_tables.cu
//     ./lab sim -- ./equalize                 draws an image of its own: before.pgm and after.pgm
//     ./lab sim -- ./equalize photo.pgm       or takes yours
//
// The counting is done by the stage that is compiled with it: any that has count_bytes().
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "common/example.h"
#include "labs/histogram/histogram.h"
#include "labs/histogram/pgm.h"

namespace {

using histogram::byte_bins;
using histogram::Image;
using Counts = std::vector<std::uint32_t>;  // byte_bins of them

Counts count_greys(const Image& image) {
  const DeviceArray<std::uint8_t> in(image.pixels);
  DeviceArray<std::uint32_t> bins(byte_bins);
  DeviceArray<char> scratch(histogram::scratch_bytes());
  count_bytes(in.data(), bins.data(), static_cast<std::int64_t>(in.size()),
              {scratch.data(), scratch.bytes()}, nullptr);
  check(cudaGetLastError());
  return bins.to_host();
}

/// Sixteen rows of sixteen greys each.
void print(const Counts& counts, std::size_t pixels) {
  for (int row = 0; row < 16; ++row) {
    std::uint64_t sum = 0;
    for (int grey = 16 * row; grey < 16 * row + 16; ++grey) sum += counts[grey];
    const auto stars = static_cast<std::size_t>(60 * sum / pixels);
    std::printf("%3d-%3d %8llu %s\n", 16 * row, 16 * row + 15, static_cast<unsigned long long>(sum),
                std::string(stars, '*').c_str());
  }
}

/// Grey g becomes the share of pixels that are darker than the middle of those with grey g.
void equalize(Image& image, const Counts& counts) {
  std::array<std::uint8_t, byte_bins> map{};
  std::uint64_t darker = 0;
  for (int grey = 0; grey < byte_bins; ++grey) {
    map[grey] = static_cast<std::uint8_t>(255 * (darker + counts[grey] / 2) / image.pixels.size());
    darker += counts[grey];
  }
  for (std::uint8_t& pixel : image.pixels) pixel = map[pixel];
}

}  // namespace

int main(int argc, char** argv) try {
  Image image = argc > 1 ? histogram::load_pgm(argv[1]) : histogram::misty_ball(320, 240);
  histogram::save_pgm("before.pgm", image);
  const Counts counts = count_greys(image);
  print(counts, image.pixels.size());
  equalize(image, counts);
  histogram::save_pgm("after.pgm", image);
  std::printf("before.pgm and after.pgm are written\n");
} catch (const std::exception& error) {
  std::fprintf(stderr, "equalize: %s\n", error.what());
  return 1;
}
