// A fluid by the lattice method of Boltzmann in two dimensions, with an array a direction and with
// the nine values of a cell together; spins of a magnet that turn by chance, a byte each and
// sixteen in a word; and rays that march to a surface, a pixel a thread or as lanes get free.
#include "ladder.h"

namespace ladder::flows {

constexpr int side = 1024, cells = side * side, ways_to_go = 9;

/// Where a direction comes from: the cell itself, four beside it, four at its corners.
__host__ __device__ int dx(int k) {
  return k == 0 ? 0 : k == 1 || k == 5 || k == 8 ? 1 : k == 2 || k == 4 ? 0 : -1;
}
__host__ __device__ int dy(int k) {
  return k == 0 || k == 1 || k == 3 ? 0 : k == 2 || k == 5 || k == 6 ? 1 : -1;
}
__host__ __device__ float weight(int k) { return k == 0 ? 4.0F / 9 : k < 5 ? 1.0F / 9 : 1.0F / 36; }

template <bool apart>
__host__ __device__ int place(int cell, int k) {
  return apart ? k * cells + cell : cell * ways_to_go + k;
}

/// What comes from the neighbours, then a part of the way to balance.
template <bool apart>
__host__ __device__ void collide(const float* in, int x, int y, float (&f)[ways_to_go]) {
  float density = 0, ux = 0, uy = 0;
#pragma unroll
  for (int k = 0; k < ways_to_go; ++k) {
    const int from = ((y - dy(k)) & (side - 1)) * side + ((x - dx(k)) & (side - 1));
    f[k] = in[place<apart>(from, k)];
    density += f[k];
    ux += float(dx(k)) * f[k];
    uy += float(dy(k)) * f[k];
  }
  ux /= density;
  uy /= density;
  const float square = 1.5F * (ux * ux + uy * uy);
#pragma unroll
  for (int k = 0; k < ways_to_go; ++k) {
    const float along = 3 * (float(dx(k)) * ux + float(dy(k)) * uy);
    const float balance = weight(k) * density * (1 + along + 0.5F * along * along - square);
    f[k] += 1.2F * (balance - f[k]);
  }
}

template <bool apart>
__global__ void lattice_step(const float* in, float* out) {
  const int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y;
  float f[ways_to_go];
  collide<apart>(in, x, y, f);
#pragma unroll
  for (int k = 0; k < ways_to_go; ++k) out[place<apart>(y * side + x, k)] = f[k];
}

constexpr int lines = 2048, half_line = 1024, of_word = 16;  ///< spins of one colour in a line

__host__ __device__ bool turned_at(std::uint32_t spin, std::uint32_t limit) {
  return mixed(spin ^ 0x5bd1e995U) < limit;
}

/// Chances to turn, by the spin and how many of its four neighbours are up.
std::vector<std::uint32_t> limits_of_turns() {
  std::vector<std::uint32_t> all;
  for (int k = 0; k < 10; ++k) {
    const int against = (k / 5 == 1 ? 1 : -1) * (2 * (k % 5) - 4);
    all.push_back(std::uint32_t(4294967295.0 * std::fmin(1.0, std::exp(-0.9 * against))));
  }
  return all;
}

using Spin = unsigned char;

/// Of the spins of one colour, with neighbours of the other: above, below and two in the line.
__host__ __device__ int ups(const Spin* other, int y, int j) {
  const Spin* line = other + y * half_line;
  const int beside = (y & 1) != 0 ? j + 1 : j - 1;
  return other[((y - 1) & (lines - 1)) * half_line + j] +
         other[((y + 1) & (lines - 1)) * half_line + j] + line[j] + line[beside & (half_line - 1)];
}

__global__ void spin_a_thread(Spin* spins, const Spin* other, const std::uint32_t* limits) {
  __shared__ std::uint32_t chances[10];
  if (threadIdx.x < 10) chances[threadIdx.x] = limits[threadIdx.x];
  __syncthreads();
  const int i = blockIdx.x * 256 + threadIdx.x;
  const Spin mine = spins[i];
  if (turned_at(i, chances[mine * 5 + ups(other, i / half_line, i % half_line)])) {
    spins[i] = mine ^ 1;
  }
}

/// Spins are nibbles: neighbours of sixteen are added at once.
__global__ void word_a_thread(std::uint64_t* spins, const std::uint64_t* other,
                              const std::uint32_t* limits) {
  constexpr int words = half_line / of_word;
  __shared__ std::uint32_t chances[10];
  if (threadIdx.x < 10) chances[threadIdx.x] = limits[threadIdx.x];
  __syncthreads();
  const int i = blockIdx.x * 128 + threadIdx.x, y = i / words, w = i % words;
  const std::uint64_t at = other[i];
  const std::uint64_t beside = (y & 1) != 0
                                   ? at >> 4 | other[y * words + ((w + 1) & (words - 1))] << 60
                                   : at << 4 | other[y * words + ((w - 1) & (words - 1))] >> 60;
  const std::uint64_t sums = at + beside + other[((y - 1) & (lines - 1)) * words + w] +
                             other[((y + 1) & (lines - 1)) * words + w];
  const std::uint64_t mine = spins[i];
  std::uint64_t turned = 0;
#pragma unroll
  for (int k = 0; k < of_word; ++k) {
    const int spin = int(mine >> (4 * k) & 1), up = int(sums >> (4 * k) & 7);
    if (turned_at(i * of_word + k, chances[spin * 5 + up])) turned |= std::uint64_t{1} << (4 * k);
  }
  spins[i] = mine ^ turned;
}

constexpr int view_wide = 640, view_high = 512, most_steps = 96;

/// How far a place is from a surface: balls at all corners of a grid, above waves.
__host__ __device__ float room(float x, float y, float z) {
  const float bx = x - 3 * floorf(x / 3) - 1.5F, bz = z - 3 * floorf(z / 3) - 1.5F;
  const float ball = sqrtf(bx * bx + y * y + bz * bz) - 0.9F;
  const float ground = 0.8F * (y + 1 + 0.2F * sinf(x) * sinf(z));
  return ball < ground ? ball : ground;
}

struct Ray {
  float dx, dy, dz, far;
  int steps;
  __host__ __device__ explicit Ray(int pixel) : far(0), steps(0) {
    const float x = float(pixel % view_wide) * (2.0F / view_wide) - 1;
    const float y = 0.6F - float(pixel / view_wide) * (1.2F / view_high);
    const float length = sqrtf(x * x + y * y + 1.5F * 1.5F);
    dx = x / length;
    dy = y / length;
    dz = 1.5F / length;
  }
  /// False at its end.
  __host__ __device__ bool march() {
    const float step = room(dx * far, 0.7F + dy * far, dz * far);
    far += step;
    return ++steps < most_steps && step > 1e-3F && far < 40;
  }
};

__global__ void pixel_a_thread(float* out) {
  const int pixel = blockIdx.x * 128 + threadIdx.x;
  Ray ray(pixel);
  while (ray.march()) {
  }
  out[pixel] = ray.far;
}

/// Lanes whose ray has ended take the next pixel of all.
__global__ void next_pixel_a_lane(float* out, int* next) {
  int pixel = atomicAdd(next, 1);
  Ray ray(pixel);
  while (pixel < view_wide * view_high) {
    if (ray.march()) continue;
    out[pixel] = ray.far;
    pixel = atomicAdd(next, 1);
    ray = Ray(pixel);
  }
}

Kernels lattice_of_boltzmann() {
  const auto value = [](int cell, int k) {
    return weight(k) * (1 + 0.2F * fraction(cell * ways_to_go + k));
  };
  const Array<float> apart(cells * ways_to_go,
                           [=](std::uint32_t i) { return value(int(i % cells), int(i / cells)); }),
      together(cells * ways_to_go,
               [=](std::uint32_t i) { return value(int(i / ways_to_go), int(i % ways_to_go)); }),
      out(cells * ways_to_go);
  const auto way = [=](const char* name, auto kernel, bool of_apart) {
    return Kernel{name, [=] { out.clear(); },
                  [=] {
                    kernel<<<dim3(side / 128, side), 128>>>((of_apart ? apart : together).device(),
                                                            out.device());
                  },
                  [=] {
                    const std::vector<float> got = out.read();
                    return sampled(cells, [&](std::size_t i) {
                      float f[ways_to_go];
                      collide<true>(&apart[0], int(i % side), int(i / side), f);
                      for (int k = 0; k < ways_to_go; ++k) {
                        const int at = of_apart ? place<true>(int(i), k) : place<false>(int(i), k);
                        if (!near(got[at], f[k], 1e-3)) return false;
                      }
                      return true;
                    });
                  }};
  };
  return {way("an array a direction", lattice_step<true>, true),
          way("cell after cell", lattice_step<false>, false)};
}

Kernels spins_of_a_magnet() {
  constexpr int n = lines * half_line;
  const auto spin = [](std::uint32_t i) { return Spin(mixed(i) % 3 == 0); };
  const auto word = [=](std::uint32_t i) {
    std::uint64_t all = 0;
    for (int k = 0; k < of_word; ++k) all |= std::uint64_t{spin(i * of_word + k)} << (4 * k);
    return all;
  };
  const Array<Spin> other(n, [=](std::uint32_t i) { return spin(~i); }), first(n, spin), spins(n);
  const Array<std::uint64_t> other_words(n / of_word,
                                         [=](std::uint32_t i) {
                                           std::uint64_t all = 0;
                                           for (int k = 0; k < of_word; ++k) {
                                             all |= std::uint64_t{spin(~(i * of_word + k))}
                                                    << (4 * k);
                                           }
                                           return all;
                                         }),
      first_words(n / of_word, word), words(n / of_word);
  const Array<std::uint32_t> limits(limits_of_turns());
  const auto right = [=](std::function<Spin(std::size_t)> got) {
    return sampled(n, [&](std::size_t i) {
      const int up = ups(&other[0], int(i / half_line), int(i % half_line));
      const bool turned = turned_at(std::uint32_t(i), limits[first[i] * 5 + up]);
      return got(i) == (first[i] ^ int(turned));
    });
  };
  const auto renew = [](const auto& from, const auto& to) {
    check(cudaMemcpy(to.device(), from.device(), from.size() * sizeof(from[0]),
                     cudaMemcpyDeviceToDevice));
  };
  return {
      {"spin a thread", [=] { renew(first, spins); },
       [=] { spin_a_thread<<<n / 256, 256>>>(spins.device(), other.device(), limits.device()); },
       [=] {
         const std::vector<Spin> got = spins.read();
         return right([&](std::size_t i) { return got[i]; });
       }},
      {"sixteen in a word", [=] { renew(first_words, words); },
       [=] {
         word_a_thread<<<n / of_word / 128, 128>>>(words.device(), other_words.device(),
                                                   limits.device());
       },
       [=] {
         const std::vector<std::uint64_t> got = words.read();
         return right(
             [&](std::size_t i) { return Spin(got[i / of_word] >> (4 * (i % of_word)) & 15); });
       }}};
}

Kernels marching_rays() {
  constexpr int n = view_wide * view_high;
  const Array<float> out(n);
  const Array<int> next(1);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name,
                  [=] {
                    out.clear();
                    next.clear();
                  },
                  launch,
                  [=] {
                    const std::vector<float> got = out.read();
                    int off = 0;  // at a rim rounding decides
                    sampled(n, [&](std::size_t i) {
                      Ray ray{int(i)};
                      while (ray.march()) {
                      }
                      off += !near(got[i], ray.far, 1e-2);
                      return true;
                    });
                    return off < 15;
                  }};
  };
  return {way("pixel a thread", [=] { pixel_a_thread<<<n / 128, 128>>>(out.device()); }),
          way("next pixel a lane",
              [=] { next_pixel_a_lane<<<132, 128>>>(out.device(), next.device()); })};
}

}  // namespace ladder::flows
