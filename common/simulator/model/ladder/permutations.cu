// Words moved by a list of places: anywhere, in pieces, and close by; read there or written there.
#include <numeric>
#include <utility>

#include "ladder.h"

namespace ladder::permutations {

constexpr int words = 1 << 23;
constexpr int threads = 256;

__global__ void gathers(const int* places, const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[places[i]];
}

__global__ void scatters(const int* places, const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[places[i]] = in[i];
}

/// Pieces of `piece` words in an order that looks drawn, within windows of `window` pieces.
Array<int> shuffled(int piece, int window) {
  std::vector<int> order(words / piece);
  std::iota(order.begin(), order.end(), 0);
  for (int begin = 0; begin < int(order.size()); begin += window) {
    for (int i = window - 1; i > 0; --i) {
      std::swap(order[begin + i], order[begin + int(mixed(begin + i) % (i + 1))]);
    }
  }
  return Array<int>(words,
                    [&](std::uint32_t i) { return order[i / piece] * piece + int(i % piece); });
}

Kernels permutations() {
  const Array<float> in(words, fraction), out(words);
  const auto way = [=](const char* name, bool written, const Array<int>& places) {
    return Kernel{name, [=] { out.clear(); },
                  [=] {
                    const auto kernel = written ? scatters : gathers;
                    kernel<<<words / threads, threads>>>(places.device(), in.device(),
                                                         out.device());
                  },
                  [=] {
                    const std::vector<float> got = out.read();
                    return sampled(words, [&](std::size_t i) {
                      return written ? got[places[i]] == in[i] : got[i] == in[places[i]];
                    });
                  }};
  };
  const Array<int> anywhere = shuffled(1, words), pieces = shuffled(32, words / 32),
                   close = shuffled(1, 1024);
  return {way("read anywhere", false, anywhere), way("read in lines", false, pieces),
          way("read close by", false, close),    way("written anywhere", true, anywhere),
          way("written in lines", true, pieces), way("written close by", true, close)};
}

}  // namespace ladder::permutations
