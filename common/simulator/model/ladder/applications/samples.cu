// What samplers deliver: letters of a genome, whose short words are counted, and a signal of which a
// filter leaves every fourth value.
#include <cuda_pipeline.h>

#include <algorithm>

#include "ladder.h"

namespace ladder::samples {

// Counts of the words of seven letters in reads. A word and the reverse of its complement count as
// the smaller of the two.
constexpr int reads = 16384, letters = 256, size = 7, codes = 1 << (2 * size);
constexpr int words_of_read = letters - size + 1;

/// A, C, G and T as 0, 1, 3 and 2; of the complement, it is this xor 2.
__host__ __device__ int code_of(int letter) { return letter >> 1 & 3; }

__global__ void word_a_thread(const char* text, int* counts) {
  const int i = blockIdx.x * 256 + threadIdx.x, read = i / words_of_read;
  if (read >= reads) return;
  const char* from = text + read * letters + i % words_of_read;
  int word = 0, complement = 0;
  for (int k = 0; k < size; ++k) {
    const int code = code_of(from[k]);
    word = word << 2 | code;
    complement |= (code ^ 2) << (2 * k);
  }
  atomicAdd(counts + min(word, complement), 1);
}

/// Calls `found(code)` for the words that end at 16 letters, of which `k` is the first; a word and
/// its complement go on from one letter to the next.
template <class Found>
__device__ void words_at(const uint4* read, int k, Found found) {
  int word = 0, complement = 0;
  const auto append = [&](unsigned letter) {
    const int code = code_of(int(letter & 255));
    word = (word << 2 | code) & (codes - 1);
    complement = complement >> 2 | (code ^ 2) << (2 * (size - 1));
  };
  if (k > 0) {
    const uint4 before = read[k / 16 - 1];
    append(before.z >> 16);
    append(before.z >> 24);
#pragma unroll
    for (int j = 0; j < 4; ++j) append(before.w >> (8 * j));
  }
  const uint4 own = read[k / 16];
  const unsigned four[4] = {own.x, own.y, own.z, own.w};
#pragma unroll
  for (int j = 0; j < 16; ++j) {
    append(four[j / 4] >> (8 * (j % 4)));
    if (k + j >= size - 1) found(min(word, complement));
  }
}

__global__ void sixteen_words_a_thread(const uint4* text, int* counts) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  constexpr int parts = letters / 16;
  words_at(text + i / parts * parts, i % parts * 16,
           [=](int word) { atomicAdd(counts + word, 1); });
}

constexpr int counting_blocks = 128;

/// Two counts a word of shared memory; no block has 2^16 words.
__global__ void counts_in_shared_memory(const uint4* text, int* counts) {
  static_assert(reads / counting_blocks * words_of_read < 1 << 16);
  __shared__ unsigned count[codes / 2];
  for (int k = threadIdx.x; k < codes / 2; k += 512) count[k] = 0;
  __syncthreads();
  constexpr int parts = letters / 16, of_block = reads / counting_blocks * parts;
  for (int k = threadIdx.x; k < of_block; k += 512) {
    const int i = blockIdx.x * of_block + k;
    words_at(text + i / parts * parts, i % parts * 16,
             [&](int word) { atomicAdd(count + word / 2, 1U << (16 * (word % 2))); });
  }
  __syncthreads();
  for (int k = threadIdx.x; k < codes / 2; k += 512) {
    const unsigned two = count[k];
    if ((two & 0xffff) != 0) atomicAdd(counts + 2 * k, int(two & 0xffff));
    if (two >> 16 != 0) atomicAdd(counts + 2 * k + 1, int(two >> 16));
  }
}

// A filter of 64 taps of which every fourth result is wanted.
constexpr int outputs = 1 << 19, factor = 4, taps = 64;

__constant__ float constant_taps[taps];

__global__ void output_a_thread(const float* in, const float* tap, float* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < taps; ++k) sum += tap[k] * in[factor * i + k];
  out[i] = sum;
}

/// What a block needs lies in shared memory, the taps in constant memory.
__global__ void inputs_in_shared_memory(const float* in, float* out) {
  __shared__ float values[factor * 256 + taps];
  const int first = blockIdx.x * 256;
  for (int k = threadIdx.x; k < factor * 256 + taps; k += 256) {
    values[k] = in[factor * first + k];
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < taps; ++k) sum += constant_taps[k] * values[factor * threadIdx.x + k];
  out[first + threadIdx.x] = sum;
}

constexpr int tile = 256, vectors_of_tile = tile + taps / 4;

/// Tile after tile, of which the next is copied while one is filtered; four inputs a reading.
__global__ void tiles_copied_ahead(const float4* in, float* out) {
  __shared__ float4 values[2][vectors_of_tile];
  const int t = threadIdx.x;
  const auto copy = [&](int which, int buffer) {
    if (which < outputs / tile) {
      for (int k = t; k < vectors_of_tile; k += tile) {
        __pipeline_memcpy_async(&values[buffer][k], in + which * tile + k, sizeof(float4));
      }
    }
    __pipeline_commit();
  };
  copy(blockIdx.x, 0);
  int buffer = 0;
  for (int which = blockIdx.x; which < outputs / tile; which += gridDim.x, buffer = 1 - buffer) {
    copy(which + gridDim.x, 1 - buffer);
    __pipeline_wait_prior(1);
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < taps / 4; ++k) {
      const float4 four = values[buffer][t + k];
      sum += constant_taps[4 * k] * four.x;
      sum += constant_taps[4 * k + 1] * four.y;
      sum += constant_taps[4 * k + 2] * four.z;
      sum += constant_taps[4 * k + 3] * four.w;
    }
    out[which * tile + t] = sum;
    __syncthreads();
  }
}

Kernels words_of_a_genome() {
  // One read in 50 repeats two letters.
  const Array<uint4> text(reads * letters / 16, [](std::uint32_t i) {
    unsigned four[4] = {};
    for (std::uint32_t k = 0; k < 16; ++k) {
      const std::uint32_t read = i / (letters / 16), at = 16 * i + k;
      const std::uint32_t drawn = mixed(read) % 50 == 0 ? mixed(2 * read + k % 2) : mixed(at + 90);
      four[k / 4] |= unsigned("ACGT"[drawn >> 9 & 3]) << (8 * (k % 4));
    }
    return uint4{four[0], four[1], four[2], four[3]};
  });
  const Array<int> counts(codes);
  const auto way = [=](const char* name, std::function<void()> launch) {
    const auto right = [=] {
      const char* all = reinterpret_cast<const char*>(&text[0]);
      std::vector<int> wanted(codes);
      for (std::size_t i = 0; i < reads; ++i) {
        for (std::size_t at = 0; at < words_of_read; ++at) {
          int word = 0, complement = 0;
          for (std::size_t k = 0; k < size; ++k) {
            const int code = code_of(all[i * letters + at + k]);
            word = 4 * word + code;
            complement += (code ^ 2) << (2 * k);
          }
          ++wanted[std::size_t(std::min(word, complement))];
        }
      }
      return counts.read() == wanted;
    };
    return Kernel{name, [=] { counts.clear(); }, launch, right};
  };
  return {way("a thread a word",
              [=] {
                word_a_thread<<<(reads * words_of_read + 255) / 256, 256>>>(
                    reinterpret_cast<const char*>(text.device()), counts.device());
              }),
          way("16 words a thread",
              [=] {
                sixteen_words_a_thread<<<reads * letters / 16 / 256, 256>>>(text.device(),
                                                                            counts.device());
              }),
          way("counts in shared memory", [=] {
            counts_in_shared_memory<<<counting_blocks, 512>>>(text.device(), counts.device());
          })};
}

Kernels filter_and_decimation() {
  const Array<float> in(factor * outputs + taps,
                        [](std::uint32_t i) { return fraction(i) - 0.5F; });
  const Array<float> tap(taps, [](std::uint32_t i) {
    const float middle = float(i) - 31.5F;
    return std::sin(0.7F * middle) / (3.14159F * middle);
  });
  check(cudaMemcpyToSymbol(constant_taps, &tap[0], sizeof constant_taps));
  const Array<float> out(outputs);
  const auto way = [=](const char* name, std::function<void()> launch) {
    const auto right = [=] {
      const std::vector<float> got = out.read();
      return sampled(outputs, [&](std::size_t i) {
        double sum = 0;
        for (std::size_t k = 0; k < taps; ++k) sum += double(tap[k]) * in[factor * i + k];
        return std::abs(got[i] - sum) <= 1e-5;
      });
    };
    return Kernel{name, [=] { out.clear(); }, launch, right};
  };
  return {way("an output a thread",
              [=] {
                output_a_thread<<<outputs / 256, 256>>>(in.device(), tap.device(), out.device());
              }),
          way("inputs in shared memory, taps in constant memory",
              [=] { inputs_in_shared_memory<<<outputs / 256, 256>>>(in.device(), out.device()); }),
          way("tiles copied ahead", [=] {
            tiles_copied_ahead<<<528, tile>>>(reinterpret_cast<const float4*>(in.device()),
                                              out.device());
          })};
}

}  // namespace ladder::samples
