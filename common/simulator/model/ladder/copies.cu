// Copies of one array to another: by width of a load, off the sectors' bounds, with few threads in a
// loop, and with strides.
#include "ladder.h"

namespace ladder::copies {

constexpr int words = 1 << 24;
constexpr int threads = 256;

template <class T>
__global__ void straight(const T* in, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

/// Begins `off` words behind the start of both arrays.
__global__ void shifted(const int* in, int* out, int n, int off) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + off;
  if (i < n) out[i] = in[i];
}

template <class T>
__global__ void in_a_loop(const T* in, T* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = in[i];
  }
}

/// Every `stride`-th word, to words in order.
__global__ void gathers(const int* in, int* out, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i * stride];
}

/// Words in order, to every `stride`-th.
__global__ void scatters(const int* in, int* out, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i * stride] = in[i];
}

template <class T>
struct Arrays {
  Array<int> in, out;
  const T* from() const { return reinterpret_cast<const T*>(in.device()); }
  T* to() const { return reinterpret_cast<T*>(out.device()); }
  int count() const { return words * 4 / int(sizeof(T)); }
};

Kernels copies() {
  const Array<int> in(words, mixed), out(words);
  const auto renew = [=] { out.clear(); };
  const auto right = [=] {
    const std::vector<int> got = out.read();
    return sampled(words - 1, [&](std::size_t i) { return got[i + 1] == in[i + 1]; });
  };
  const Arrays<int> one{in, out};
  const Arrays<int2> two{in, out};
  const Arrays<int4> four{in, out};
  return {
      {"4 bytes", renew,
       [=] { straight<<<words / threads, threads>>>(one.from(), one.to(), words); }, right},
      {"8 bytes", renew,
       [=] { straight<<<words / 2 / threads, threads>>>(two.from(), two.to(), words / 2); }, right},
      {"16 bytes", renew,
       [=] { straight<<<words / 4 / threads, threads>>>(four.from(), four.to(), words / 4); },
       right},
      {"shifted by a word", renew,
       [=] { shifted<<<words / threads, threads>>>(one.from(), one.to(), words, 1); }, right},
      {"loop, 4 bytes", renew, [=] { in_a_loop<<<264, 512>>>(one.from(), one.to(), words); },
       right},
      {"loop, 16 bytes", renew, [=] { in_a_loop<<<264, 512>>>(four.from(), four.to(), words / 4); },
       right}};
}

Kernels strides() {
  const Array<int> wide(1 << 26, mixed), narrow(1 << 23, mixed), few(1 << 23), many(1 << 26);
  const auto gather = [=](const char* name, int stride, int n) {
    return Kernel{
        name, [=] { few.clear(); },
        [=] { gathers<<<n / threads, threads>>>(wide.device(), few.device(), n, stride); },
        [=] {
          const std::vector<int> got = few.read();
          return sampled(n, [&](std::size_t i) { return got[i] == wide[i * stride]; });
        }};
  };
  const auto scatter = [=](const char* name, int stride, int n) {
    return Kernel{
        name, [=] { many.clear(); },
        [=] { scatters<<<n / threads, threads>>>(narrow.device(), many.device(), n, stride); },
        [=] {
          const std::vector<int> got = many.read();
          return sampled(n, [&](std::size_t i) { return got[i * stride] == narrow[i]; });
        }};
  };
  return {gather("every 2nd read", 2, 1 << 23), gather("every 8th read", 8, 1 << 22),
          gather("every 32nd read", 32, 1 << 21), scatter("every 2nd written", 2, 1 << 23),
          scatter("every 8th written", 8, 1 << 22)};
}

}  // namespace ladder::copies
