// What filters do to a picture: blurred, sharpened, and its edges.
//
//     nvcc -std=c++20 -I. -lineinfo -cudart shared -gencode arch=compute_75,code=compute_75 \
//          -o filter_image labs/convolution/examples/filter_image.cu \
//          labs/convolution/3_register_window.cu
//     ./lab sim -- ./filter_image             draws a picture of its own
//     ./lab sim -- ./filter_image photo.pgm   or takes yours
//
// Writes before.pgm, blur.pgm, sharpen.pgm and edges.pgm. The filtering is done by the stage that
// is compiled with it: any that has convolve().
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "common/example.h"
#include "labs/convolution/convolution.h"
#include "labs/histogram/pgm.h"

namespace {

using histogram::Image;

struct Filter {
  std::string name;
  int size;
  std::vector<float> taps;  ///< size * size, row by row
};

/// A bell of 9 x 9 taps that add up to 1: every pixel becomes a mean of its neighbours.
Filter blur() {
  constexpr int size = 9;
  constexpr double width = 2;
  Filter filter{"blur", size, {}};
  double sum = 0;
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < size; ++i) {
      const double right = i - size / 2, down = j - size / 2;
      const double tap = std::exp(-(right * right + down * down) / (2 * width * width));
      filter.taps.push_back(static_cast<float>(tap));
      sum += tap;
    }
  }
  for (float& tap : filter.taps) tap /= static_cast<float>(sum);
  return filter;
}

/// The pixel, and four times what sets it off from its neighbours.
Filter sharpen() { return {"sharpen", 3, {0, -1, 0, -1, 5, -1, 0, -1, 0}}; }

/// What sets a pixel off from its eight neighbours: 0 on a plain surface.
Filter edges() { return {"edges", 3, {-1, -1, -1, -1, 8, -1, -1, -1, -1}}; }

Image filtered(const Image& image, const Filter& filter) {
  const DeviceArray<float> in({image.pixels.begin(), image.pixels.end()}), taps(filter.taps);
  DeviceArray<float> out(in.size());
  DeviceArray<char> scratch(convolution::scratch_bytes(image.width, image.height));
  convolve(in.data(), out.data(), image.width, image.height, taps.data(), filter.size,
           convolution::Border::clamp, {scratch.data(), scratch.bytes()}, nullptr);
  check(cudaGetLastError());

  // Below black and above white there is nothing; an edge is one from either side.
  Image result{image.width, image.height, {}};
  for (float pixel : out.to_host()) {
    if (filter.name == "edges") pixel = std::abs(pixel);
    result.pixels.push_back(static_cast<std::uint8_t>(std::clamp(pixel + 0.5f, 0.0f, 255.0f)));
  }
  return result;
}

/// A ball on a tiled floor before a fence.
Image still_life(int width, int height) {
  Image image{width, height, {}};
  const double radius = 0.28 * height, ball_x = 0.42 * width, ball_y = 0.55 * height;
  const double horizon = 0.45 * height;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double right = (x - ball_x) / radius, down = (y - ball_y) / radius;
      const double toward = 1 - right * right - down * down;  // squared; below 0 beside the ball
      double grey = 0;
      if (toward > 0) {
        grey = 40 + 190 * std::max(0.0, -0.5 * right - 0.6 * down + 0.62 * std::sqrt(toward));
      } else if (y > horizon) {
        const double depth = height / (y - horizon + 8);
        const double tile_x = (x - 0.5 * width) * depth / width * 3, tile_y = 5 * depth;
        const bool dark = (std::lround(tile_x) + std::lround(tile_y)) % 2 != 0;
        const double contrast = std::min(1.0, (y - horizon) / 60);  // less in the distance
        grey = 130 + (dark ? -65 : 65) * contrast;
      } else {
        const bool gap = x % 24 > 15 && y > 0.12 * height;
        grey = gap ? 225 : 120 + x % 24 * 2;
      }
      image.pixels.push_back(static_cast<std::uint8_t>(std::clamp(grey, 0.0, 255.0)));
    }
  }
  return image;
}

}  // namespace

int main(int argc, char** argv) try {
  const Image image = argc > 1 ? histogram::load_pgm(argv[1]) : still_life(320, 240);
  histogram::save_pgm("before.pgm", image);
  for (const Filter& filter : {blur(), sharpen(), edges()})
    histogram::save_pgm(filter.name + ".pgm", filtered(image, filter));
  std::printf("before.pgm, blur.pgm, sharpen.pgm and edges.pgm are written\n");
} catch (const std::exception& error) {
  std::fprintf(stderr, "filter_image: %s\n", error.what());
  return 1;
}
