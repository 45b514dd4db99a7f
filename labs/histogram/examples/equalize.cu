// What a histogram is good for: an image in which hardly any grey is used, spread over all of them.
//
//     nvcc -std=c++20 -I. -lineinfo -cudart shared -gencode arch=compute_75,code=compute_75 \
//          -o equalize labs/histogram/examples/equalize.cu labs/histogram/5_lane_tables.cu
//     ./lab sim -- ./equalize                 draws an image of its own: before.pgm and after.pgm
//     ./lab sim -- ./equalize photo.pgm       or takes yours
//
// The counting is done by the stage that is compiled with it: any that has count_bytes().
#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>

#include "labs/histogram/histogram.h"
#include "labs/histogram/pgm.h"

namespace {

using histogram::byte_bins;
using histogram::Image;
using Counts = std::array<std::uint32_t, byte_bins>;

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

struct Free {
  void operator()(void* memory) const { cudaFree(memory); }
};

std::unique_ptr<void, Free> device_memory(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes));
  return std::unique_ptr<void, Free>(memory);
}

Counts count_greys(const Image& image) {
  const std::size_t n = image.pixels.size();
  const auto in = device_memory(n), bins = device_memory(sizeof(Counts)),
             scratch = device_memory(histogram::scratch_bytes());
  check(cudaMemcpy(in.get(), image.pixels.data(), n, cudaMemcpyHostToDevice));
  count_bytes(static_cast<const std::uint8_t*>(in.get()), static_cast<std::uint32_t*>(bins.get()),
              static_cast<std::int64_t>(n), {scratch.get(), histogram::scratch_bytes()}, nullptr);
  check(cudaGetLastError());
  Counts counts;
  check(cudaMemcpy(counts.data(), bins.get(), sizeof(Counts), cudaMemcpyDeviceToHost));
  return counts;
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

Image load(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(std::string("cannot open ") + path);
  return histogram::read_pgm(file);
}

void save(const char* path, const Image& image) {
  std::ofstream file(path, std::ios::binary);
  histogram::write_pgm(file, image);
  if (!file) throw std::runtime_error(std::string("cannot write ") + path);
}

}  // namespace

int main(int argc, char** argv) try {
  Image image = argc > 1 ? load(argv[1]) : histogram::misty_ball(320, 240);
  save("before.pgm", image);
  const Counts counts = count_greys(image);
  print(counts, image.pixels.size());
  equalize(image, counts);
  save("after.pgm", image);
  std::printf("before.pgm and after.pgm are written\n");
} catch (const std::exception& error) {
  std::fprintf(stderr, "equalize: %s\n", error.what());
  return 1;
}
