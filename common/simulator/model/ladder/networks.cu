// Work on pieces of 1024 in shared memory, step by step with barriers: bitonic sorting, with pairs
// near one another left to shuffles or not, and Fourier transforms by radix 2 and 4.
#include <algorithm>

#include "ladder.h"

namespace ladder::networks {

constexpr int piece = 1024;
constexpr int sorted = 1 << 21, transformed = 1 << 22;

__device__ void order(unsigned& a, unsigned& b, bool up) {
  if ((a > b) == up) {
    const unsigned other = a;
    a = b;
    b = other;
  }
}

/// A thread for each pair.
__global__ void bitonic(const unsigned* in, unsigned* out) {
  __shared__ unsigned all[piece];
  const int begin = blockIdx.x * piece, t = threadIdx.x;
  all[t] = in[begin + t];
  all[t + piece / 2] = in[begin + t + piece / 2];
  for (int size = 2; size <= piece; size *= 2) {
    for (int apart = size / 2; apart > 0; apart /= 2) {
      __syncthreads();
      const int low = 2 * t - (t & (apart - 1));
      order(all[low], all[low + apart], (low & size) == 0);
    }
  }
  __syncthreads();
  out[begin + t] = all[t];
  out[begin + t + piece / 2] = all[t + piece / 2];
}

/// A thread for each element, which is in a register while partners are in the warp.
__global__ void bitonic_shuffles(const unsigned* in, unsigned* out) {
  __shared__ unsigned all[piece];
  const int t = threadIdx.x;
  unsigned mine = in[blockIdx.x * piece + t];
  for (int size = 2; size <= piece; size *= 2) {
    for (int apart = size / 2; apart > 0; apart /= 2) {
      unsigned other;
      if (apart >= 32) {
        __syncthreads();
        all[t] = mine;
        __syncthreads();
        other = all[t ^ apart];
      } else {
        other = __shfl_xor_sync(0xffffffffU, mine, apart);
      }
      const bool small = ((t & apart) == 0) == ((t & size) == 0);
      mine = small ? min(mine, other) : max(mine, other);
    }
  }
  out[blockIdx.x * piece + t] = mine;
}

__device__ float2 times(float2 a, float2 b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
__device__ float2 plus(float2 a, float2 b) { return {a.x + b.x, a.y + b.y}; }
__device__ float2 minus(float2 a, float2 b) { return {a.x - b.x, a.y - b.y}; }

__device__ float2 turn(int k, int of) {
  float2 w;
  __sincosf(-6.2831853F * float(k) / float(of), &w.y, &w.x);
  return w;
}

/// Stockham's order: no bits are reversed, two arrays take turns.
__global__ void fourier_2(const float2* in, float2* out) {
  __shared__ float2 all[2][piece];
  const int t = threadIdx.x, begin = blockIdx.x * piece;
  all[0][t] = in[begin + t];
  all[0][t + piece / 2] = in[begin + t + piece / 2];
  int from = 0;
  for (int done = 1; done < piece; done *= 2, from ^= 1) {
    __syncthreads();
    const int k = t & (done - 1);
    const float2 a = all[from][t], b = times(all[from][t + piece / 2], turn(k, 2 * done));
    const int to = 2 * t - k;
    all[from ^ 1][to] = plus(a, b);
    all[from ^ 1][to + done] = minus(a, b);
  }
  __syncthreads();
  out[begin + t] = all[from][t];
  out[begin + t + piece / 2] = all[from][t + piece / 2];
}

__global__ void fourier_4(const float2* in, float2* out) {
  __shared__ float2 all[2][piece];
  constexpr int quarter = piece / 4;
  const int t = threadIdx.x, begin = blockIdx.x * piece;
  for (int j = 0; j < 4; ++j) all[0][t + j * quarter] = in[begin + t + j * quarter];
  int from = 0;
  for (int done = 1; done < piece; done *= 4, from ^= 1) {
    __syncthreads();
    const int k = t & (done - 1);
    const float2 a = all[from][t];
    const float2 b = times(all[from][t + quarter], turn(k, 4 * done));
    const float2 c = times(all[from][t + 2 * quarter], turn(2 * k, 4 * done));
    const float2 d = times(all[from][t + 3 * quarter], turn(3 * k, 4 * done));
    const float2 ac = plus(a, c), a_c = minus(a, c), bd = plus(b, d), b_d = minus(b, d);
    const int to = 4 * t - 3 * k;
    float2* next = all[from ^ 1];
    next[to] = plus(ac, bd);
    next[to + done] = {a_c.x + b_d.y, a_c.y - b_d.x};
    next[to + 2 * done] = minus(ac, bd);
    next[to + 3 * done] = {a_c.x - b_d.y, a_c.y + b_d.x};
  }
  __syncthreads();
  for (int j = 0; j < 4; ++j) out[begin + t + j * quarter] = all[from][t + j * quarter];
}

Kernels bitonic_sort() {
  const Array<unsigned> in(sorted, mixed), out(sorted);
  const auto way = [=](const char* name, auto kernel, int threads) {
    return Kernel{name, [=] { out.clear(); },
                  [=] { kernel<<<sorted / piece, threads>>>(in.device(), out.device()); },
                  [=] {
                    std::vector<unsigned> wanted;
                    for (int i = 0; i < sorted; ++i) wanted.push_back(in[i]);
                    for (int i = 0; i < sorted; i += piece) {
                      std::sort(wanted.begin() + i, wanted.begin() + i + piece);
                    }
                    return out.read() == wanted;
                  }};
  };
  return {way("pair a thread", bitonic, piece / 2), way("shuffles", bitonic_shuffles, piece)};
}

Kernels fourier() {
  const Array<float2> in(transformed,
                         [](std::uint32_t i) {
                           return float2{fraction(2 * i), fraction(2 * i + 1)};
                         }),
      out(transformed);
  const auto way = [=](const char* name, auto kernel, int threads) {
    return Kernel{name, [=] { out.clear(); },
                  [=] { kernel<<<transformed / piece, threads>>>(in.device(), out.device()); },
                  [=] {
                    const std::vector<float2> got = out.read();
                    return sampled(got.size(), [&](std::size_t i) {
                      const std::size_t begin = i / piece * piece;
                      double x = 0, y = 0;
                      for (std::size_t k = 0; k < piece; ++k) {
                        const double angle = -6.283185307179586 * double(i * k % piece) / piece;
                        const float2 v = in[begin + k];
                        x += v.x * std::cos(angle) - v.y * std::sin(angle);
                        y += v.x * std::sin(angle) + v.y * std::cos(angle);
                      }
                      return std::abs(got[i].x - x) < 0.02 && std::abs(got[i].y - y) < 0.02;
                    });
                  }};
  };
  return {way("radix 2", fourier_2, piece / 2), way("radix 4", fourier_4, piece / 4)};
}

}  // namespace ladder::networks
