// ChaCha (D. J. Bernstein, "ChaCha, a variant of Salsa20", 2008) with eight rounds, and how keys
// are made.
#include "grader/judge/cases/random.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>

namespace gridstride {
namespace {

/// The same word of four blocks, which are made together by vector instructions.
using Lanes = std::uint32_t __attribute__((vector_size(16)));
constexpr std::size_t lanes = sizeof(Lanes) / sizeof(std::uint32_t);

template <class Word>
Word rotated(Word value, int bits) {
  return value << bits | value >> (32 - bits);
}

template <class Word>
void quarter_round(Word& a, Word& b, Word& c, Word& d) {
  a += b, d = rotated(d ^ a, 16);
  c += d, b = rotated(b ^ c, 12);
  a += b, d = rotated(d ^ a, 8);
  c += d, b = rotated(b ^ c, 7);
}

/// Word i of a block.
template <class Word>
struct Block {
  Word at[16];
};

/// The block of each counter whose low and high half are given.
template <class Word>
Block<Word> chacha(const std::array<std::uint32_t, 8>& key, Word low, Word high,
                   std::uint64_t stream) {
  const Word zero{};
  Block<Word> input = {zero + 0x61707865, zero + 0x3320646e, zero + 0x79622d32, zero + 0x6b206574};
  for (std::size_t i = 0; i < 8; ++i) input.at[4 + i] = zero + key[i];
  input.at[12] = low;
  input.at[13] = high;
  input.at[14] = zero + static_cast<std::uint32_t>(stream);
  input.at[15] = zero + static_cast<std::uint32_t>(stream >> 32);
  Block<Word> block = input;
  Word* const s = block.at;
  for (int pair = 0; pair < 4; ++pair) {
    quarter_round(s[0], s[4], s[8], s[12]);
    quarter_round(s[1], s[5], s[9], s[13]);
    quarter_round(s[2], s[6], s[10], s[14]);
    quarter_round(s[3], s[7], s[11], s[15]);
    quarter_round(s[0], s[5], s[10], s[15]);
    quarter_round(s[1], s[6], s[11], s[12]);
    quarter_round(s[2], s[7], s[8], s[13]);
    quarter_round(s[3], s[4], s[9], s[14]);
  }
  for (std::size_t i = 0; i < 16; ++i) s[i] += input.at[i];
  return block;
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
    const auto block = chacha(key.words_, static_cast<std::uint32_t>(piece),
                              static_cast<std::uint32_t>(piece >> 32), key_stream);
    for (std::size_t i = 0; i < 8; ++i) key.words_[i] = block.at[i];
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
  for (auto number = numbers_.begin(); number != numbers_.end(); blocks_ += lanes) {
    Lanes low, high;
    for (std::size_t i = 0; i < lanes; ++i) {
      low[i] = static_cast<std::uint32_t>(blocks_ + i);
      high[i] = static_cast<std::uint32_t>((blocks_ + i) >> 32);
    }
    const Block<Lanes> block = chacha(key_.words_, low, high, 0);
    for (std::size_t i = 0; i < lanes; ++i)
      for (std::size_t word = 0; word < 16; word += 2)
        *number++ = block.at[word][i] | static_cast<std::uint64_t>(block.at[word + 1][i]) << 32;
  }
  used_ = 0;
}

}  // namespace gridstride
