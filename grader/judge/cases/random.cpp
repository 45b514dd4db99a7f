// ChaCha (D. J. Bernstein, "ChaCha, a variant of Salsa20", 2008) with eight rounds, and how keys
// are made.
#include "grader/judge/cases/random.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>

namespace gridstride {
namespace {

void quarter_round(std::array<std::uint32_t, 16>& s, int a, int b, int c, int d) {
  s[a] += s[b], s[d] = std::rotl(s[d] ^ s[a], 16);
  s[c] += s[d], s[b] = std::rotl(s[b] ^ s[c], 12);
  s[a] += s[b], s[d] = std::rotl(s[d] ^ s[a], 8);
  s[c] += s[d], s[b] = std::rotl(s[b] ^ s[c], 7);
}

std::array<std::uint32_t, 16> chacha(const std::array<std::uint32_t, 8>& key, std::uint64_t counter,
                                     std::uint64_t stream) {
  std::array<std::uint32_t, 16> input = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  for (std::size_t i = 0; i < 8; ++i) input[4 + i] = key[i];
  input[12] = static_cast<std::uint32_t>(counter);
  input[13] = static_cast<std::uint32_t>(counter >> 32);
  input[14] = static_cast<std::uint32_t>(stream);
  input[15] = static_cast<std::uint32_t>(stream >> 32);
  auto state = input;
  for (int pair = 0; pair < 4; ++pair) {
    quarter_round(state, 0, 4, 8, 12);
    quarter_round(state, 1, 5, 9, 13);
    quarter_round(state, 2, 6, 10, 14);
    quarter_round(state, 3, 7, 11, 15);
    quarter_round(state, 0, 5, 10, 15);
    quarter_round(state, 1, 6, 11, 12);
    quarter_round(state, 2, 7, 8, 13);
    quarter_round(state, 3, 4, 9, 14);
  }
  for (std::size_t i = 0; i < 16; ++i) state[i] += input[i];
  return state;
}

/// Streams of the cipher that make keys; inputs use stream 0.
constexpr std::uint64_t key_stream = 1;

}  // namespace

RandomKey RandomKey::fresh() {
  std::random_device entropy;
  RandomKey key;
  for (auto& word : key.words_) word = entropy();
  return key;
}

RandomKey RandomKey::derived(std::uint64_t seed, std::string_view text) {
  RandomKey key;
  key.words_[0] = static_cast<std::uint32_t>(seed);
  key.words_[1] = static_cast<std::uint32_t>(seed >> 32);
  return key.with(text);
}

/// Absorbs eight bytes a block: the cipher's output replaces the key, so the earlier key cannot be
/// found from the later one. The length goes in last, so that no text is the beginning of another.
RandomKey RandomKey::with(std::string_view text) const {
  RandomKey key = *this;
  const auto absorb = [&key](std::uint64_t piece) {
    const auto block = chacha(key.words_, piece, key_stream);
    for (std::size_t i = 0; i < 8; ++i) key.words_[i] = block[i];
  };
  for (std::size_t begin = 0; begin < text.size(); begin += 8) {
    std::uint64_t piece = 0;
    for (const char letter : text.substr(begin, 8))
      piece = piece << 8 | static_cast<unsigned char>(letter);
    absorb(piece);
  }
  absorb(text.size());
  return key;
}

void Rng::refill() {
  const auto words = chacha(key_.words_, blocks_++, 0);
  for (std::size_t i = 0; i < block_.size(); ++i)
    block_[i] = words[2 * i] | static_cast<std::uint64_t>(words[2 * i + 1]) << 32;
  used_ = 0;
}

}  // namespace gridstride
