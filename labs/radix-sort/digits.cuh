// Given to stages 5 and 6: what a pass does once for every key, in as few instructions as possible.
// A pass spends most of its time here: with ballots in plain C++ the whole sort took a third
// longer.
#pragma once

#include <cstdint>

namespace radix_sort {

constexpr int digit_bits = 8;
constexpr int digit_values = 1 << digit_bits;
constexpr int passes = 32 / digit_bits;

/// Keys that are unsigned numbers already. encode() makes of a key's bits an unsigned number of the
/// same order, decode() undoes it.
struct Unsigned {
  static __device__ std::uint32_t encode(std::uint32_t bits) { return bits; }
  static __device__ std::uint32_t decode(std::uint32_t bits) { return bits; }
};

/// The word for the key's digit in row `row` of a table with a column for each digit value. The
/// offset in bytes is put together from bits: two instructions, where the index would take three.
template <int shift>
__device__ std::uint32_t& word_of_digit(std::uint32_t* table, unsigned row, std::uint32_t key) {
  constexpr unsigned mask = (digit_values - 1) * sizeof(*table);
  const unsigned digit_bytes = (shift == 0 ? key << 2 : key >> (shift - 2)) & mask;
  const unsigned row_bytes = row * digit_values * sizeof(*table);
  return *reinterpret_cast<std::uint32_t*>(reinterpret_cast<char*>(table) +
                                           (row_bytes | digit_bytes));
}

/// The lanes whose bit `bit` is the same as this lane's.
///
/// In C++ that is `const bool mine = key >> bit & 1; votes = __ballot_sync(0xffffffff, mine);
/// return mine ? votes : ~votes;`, and the compiler makes seven instructions of it. Written so, the
/// predicates of all bits come from one instruction (R2P), and two more for each bit do the rest.
/// Ranking is what a pass spends its time on: this is worth a quarter of the time of the sort.
inline __device__ unsigned lanes_with_my_bit(std::uint32_t key, int bit) {
  unsigned lanes;
  asm volatile(
      "{ .reg .pred mine; .reg .b32 masked;\n"
      "  and.b32 masked, %1, %2;\n"
      "  setp.ne.u32 mine, masked, 0;\n"
      "  vote.sync.ballot.b32 %0, mine, 0xffffffff;\n"
      "  @!mine not.b32 %0, %0; }"
      : "=r"(lanes)
      : "r"(key), "r"(1u << bit));
  return lanes;
}

/// The lanes whose key has the same digit as this lane's: those that agree in each bit.
template <int shift>
__device__ unsigned lanes_with_my_digit(std::uint32_t key) {
  unsigned agree[digit_bits];
#pragma unroll
  for (int bit = 0; bit < digit_bits; ++bit) agree[bit] = lanes_with_my_bit(key, shift + bit);
  unsigned peers = 0xffffffff;
#pragma unroll
  for (int bit = 0; bit < digit_bits; bit += 2) {
    // peers & a & b in one instruction; the compiler would take two.
    asm("lop3.b32 %0, %0, %1, %2, 0x80;" : "+r"(peers) : "r"(agree[bit]), "r"(agree[bit + 1]));
  }
  return peers;
}

}  // namespace radix_sort
