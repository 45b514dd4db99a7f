// Two galaxies meet: a few hundred leapfrog steps, as an animated picture.
//
//     nvcc -std=c++20 -O2 -I. -lineinfo -cudart shared -gencode arch=compute_75,code=compute_75 \
//          -o galaxy labs/nbody/examples/galaxy.cu labs/nbody/4_leapfrog.cu
//     ./lab sim -- ./galaxy             768 bodies, 400 steps, on the simulated GPU
//     ./galaxy 65536                    on a GPU
//     ./galaxy 65536 1600 galaxy.gif    more steps, and where the picture goes
//
// The steps are made by the stage that is compiled with it: any that has advance(). Open galaxy.gif
// in a browser. The stars of one galaxy are orange, those of the other blue.
//
// Prints: 768 bodies, 400 steps
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/example.h"
#include "labs/nbody/exact.hpp"
#include "labs/nbody/galaxies.hpp"
#include "labs/nbody/gif.hpp"
#include "labs/nbody/nbody.h"

namespace {

using nbody::Float4;
using nbody::Floats4;

constexpr float softening = 0.05f, dt = 0.01f;
constexpr int pictures = 50;  // of the whole run
constexpr int pixels = 320;   // of a side
constexpr double width = 6;   // of what is seen
constexpr int shades = 16;    // of either colour
/// Energy is summed up pair by pair, on the host: of so many bodies at most.
constexpr int most_summed = 8192;

/// The first two thirds of n bodies are one galaxy, the rest another, which comes by.
std::int64_t of_first(std::int64_t n) { return n - n / 3; }

Floats4 two_galaxies(std::int64_t n) {
  std::mt19937 random(1);
  const auto unit = [&] { return random() * 0x1p-32; };
  const nbody::Disc large{.n = of_first(n),
                          .radius = 1.3f,
                          .place = {-0.5f, -0.35f, 0, 0},
                          .speed = {-0.1f, -0.2f, 0, 0}};
  const nbody::Disc small{.n = n / 3,
                          .mass = 0.5f,
                          .stars = 0.05f,
                          .radius = 0.8f,
                          .tilt = 0.8f,
                          .place = {1.0f, 0.7f, 0.3f, 0},
                          .speed = {0.2f, 0.4f, 0, 0}};
  return nbody::together(large.draw(softening, unit), small.draw(softening, unit));
}

/// Orange and blue light, `shades` of each: colour shades * orange + blue.
std::array<nbody::Colour, 256> palette() {
  std::array<nbody::Colour, 256> colours;
  for (int i = 0; i < shades * shades; ++i) {
    const double orange = static_cast<double>(i / shades) / (shades - 1),
                 blue = static_cast<double>(i % shades) / (shades - 1);
    const auto light = [](double share) {
      return static_cast<std::uint8_t>(255 * min(share, 1.0));
    };
    colours[i] = {light(orange + 0.4 * blue), light(0.65 * orange + 0.65 * blue),
                  light(0.3 * orange + blue)};
  }
  return colours;
}

/// The bodies as seen from far above. The more of them are in a pixel the brighter it is, by the
/// logarithm: the middle of a galaxy has a thousand times the stars of its rim.
std::vector<std::uint8_t> picture_of(const Floats4& state) {
  const auto n = static_cast<std::int64_t>(state.size() / 2);
  std::vector<std::array<int, 2>> stars(pixels * pixels);
  for (std::int64_t i = 0; i < n; ++i) {
    const double x = (state[i].x / width + 0.5) * pixels, y = (0.5 - state[i].y / width) * pixels;
    if (!(x >= 0 && x < pixels && y >= 0 && y < pixels)) continue;
    ++stars[static_cast<int>(y) * pixels + static_cast<int>(x)][i < of_first(n) ? 0 : 1];
  }
  const double one = n < 8192 ? shades - 2 : 3;  // the shade of a single star
  const auto shade = [&](int count) {
    if (count == 0) return 0;
    return min(shades - 1, static_cast<int>(one + 2 * std::log2(count)));
  };
  std::vector<std::uint8_t> picture(stars.size());
  for (std::size_t k = 0; k < stars.size(); ++k)
    picture[k] = static_cast<std::uint8_t>(shades * shade(stars[k][0]) + shade(stars[k][1]));
  return picture;
}

void print(const char* when, const Floats4& state) {
  const nbody::Conserved now = nbody::conserved(state, softening);
  std::printf("%s energy %.6f, momentum (%.6f, %.6f, %.6f)\n", when, now.energy, now.momentum.x,
              now.momentum.y, now.momentum.z);
}

/// Lets the bodies move, and shows them `pictures` times on their way.
void run(Floats4& state, int steps, nbody::Gif& gif) {
  const auto n = static_cast<std::int64_t>(state.size() / 2);
  const int steps_a_picture = max(1, steps / pictures);
  DeviceArray<Float4> start(state), path(state.size() * steps_a_picture);
  DeviceArray<char> scratch(nbody::scratch_bytes(n));
  gif.add(picture_of(state));
  for (int done = 0; done < steps; done += steps_a_picture) {
    const int now = min(steps_a_picture, steps - done);
    advance(start.data(), path.data(), n, now, dt, softening, {scratch.data(), scratch.bytes()},
            nullptr);
    check(cudaGetLastError());
    const Float4* last = path.data() + 2 * n * (now - 1);
    check(cudaMemcpy(start.data(), last, start.bytes(), cudaMemcpyDeviceToDevice));
    state = start.to_host();
    gif.add(picture_of(state));
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::int64_t n = argc > 1 ? std::stoll(argv[1]) : 768;
  const int steps = argc > 2 ? std::stoi(argv[2]) : 400;
  const std::string name = argc > 3 ? argv[3] : "galaxy.gif";
  if (n < 3 || n > 1 << 20 || steps < 0)
    throw std::runtime_error("usage: galaxy [bodies, 3 to 1048576 [steps [file]]]");

  std::ofstream file(name, std::ios::binary);
  if (!file)
    throw std::runtime_error(name + ": cannot be opened for writing; is the folder yours?");
  nbody::Gif gif(file, pixels, pixels, palette(), 6);
  Floats4 state = two_galaxies(n);
  if (n <= most_summed) print("before:", state);
  run(state, steps, gif);
  if (n <= most_summed) print("after: ", state);
  gif.finish();
  if (!file.flush()) throw std::runtime_error(name + ": cannot be written; is the disk full?");
  std::printf("%lld bodies, %d steps: %s\n", static_cast<long long>(n), steps, name.c_str());
} catch (const std::exception& error) {
  std::fprintf(stderr, "galaxy: %s\n", error.what());
  return 1;
}
