// Sequences of letters and of what was observed: edit distances of many short pairs, patterns found
// in packets by an automaton, and the likeliest hidden states (Viterbi).
#include <algorithm>
#include <array>

#include "ladder.h"

namespace ladder::sequences {

using Byte = unsigned char;

// Edit distances: a pattern of 64 letters and a text of 128 each.
constexpr int pairs = 16384, pattern_size = 64, text_size = 128;

__global__ void distance_by_rows(const Byte* patterns, const Byte* texts, int* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  Byte row[pattern_size + 1];
  for (int k = 0; k <= pattern_size; ++k) row[k] = Byte(k);
  for (int y = 0; y < text_size; ++y) {
    const Byte letter = texts[i * text_size + y];
    int diagonal = y, left = y + 1;
    row[0] = Byte(left);
    for (int k = 1; k <= pattern_size; ++k) {
      const int above = row[k];
      const int changed = diagonal + (patterns[i * pattern_size + k - 1] != letter);
      left = min(min(left, above) + 1, changed);
      diagonal = above;
      row[k] = Byte(left);
    }
  }
  out[i] = row[pattern_size];
}

/// A warp a pair, two columns a lane; a lane is a row behind the one to its left.
__global__ void distance_by_diagonals(const Byte* patterns, const Byte* texts, int* out) {
  __shared__ Byte text[4][text_size];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, i = blockIdx.x * 4 + warp;
  for (int k = lane; k < text_size; k += 32) text[warp][k] = texts[i * text_size + k];
  const Byte first = patterns[i * pattern_size + 2 * lane];
  const Byte second = patterns[i * pattern_size + 2 * lane + 1];
  __syncwarp();
  int diagonal = 2 * lane, low = 2 * lane + 1, high = 2 * lane + 2;
  for (int step = 0; step < text_size + 31; ++step) {
    const int y = step - lane;
    int left = __shfl_up_sync(0xffffffffU, high, 1);
    if (lane == 0) left = y + 1;
    if (y >= 0 && y < text_size) {
      const Byte letter = text[warp][y];
      const int above = low;
      low = min(min(left, low) + 1, diagonal + (first != letter));
      high = min(min(low, high) + 1, above + (second != letter));
      diagonal = left;
    }
  }
  if (lane == 31) out[i] = high;
}

/// Where a column's values grow and fall from one row to the next, as bits of a word (Myers).
__global__ void distance_by_bits(const unsigned* patterns, const unsigned* texts, int* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  std::uint64_t equal[4] = {0, 0, 0, 0};
  for (int k = 0; k < pattern_size / 4; ++k) {
    const unsigned four = patterns[i * pattern_size / 4 + k];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const unsigned letter = four >> (8 * j) & 3;
#pragma unroll
      for (unsigned l = 0; l < 4; ++l) equal[l] |= std::uint64_t(letter == l) << (4 * k + j);
    }
  }
  std::uint64_t grows = ~std::uint64_t{0}, falls = 0;
  int distance = pattern_size;
  for (int k = 0; k < text_size / 4; ++k) {
    const unsigned four = texts[i * text_size / 4 + k];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const unsigned letter = four >> (8 * j) & 3;
      const std::uint64_t here = (letter & 2) != 0 ? ((letter & 1) != 0 ? equal[3] : equal[2])
                                                   : ((letter & 1) != 0 ? equal[1] : equal[0]);
      const std::uint64_t down = here | falls;
      const std::uint64_t across = (((here & grows) + grows) ^ grows) | here;
      std::uint64_t more = falls | ~(across | grows), less = grows & across;
      distance += int(more >> 63) - int(less >> 63);
      more = more << 1 | 1;
      less <<= 1;
      grows = less | ~(down | more);
      falls = more & down;
    }
  }
  out[i] = distance;
}

// Patterns of four to eight letters in packets; a letter is one of 32 classes.
constexpr int packets = 16384, packet = 256, patterns_of_all = 64, most_states = 512, classes = 32;

/// What follows a state by a class, and how many patterns end there.
struct Automaton {
  const std::uint16_t* next;
  const Byte* ends;
};

__global__ void packet_a_thread(const Byte* text, Automaton all, int* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  int state = 0, found = 0;
  for (int k = 0; k < packet; ++k) {
    state = all.next[state * classes + text[i * packet + k] % classes];
    found += all.ends[state];
  }
  out[i] = found;
}

/// The table lies in shared memory, and letters come 16 at a time.
__global__ void packet_by_shared_table(const uint4* text, Automaton all, int* out) {
  __shared__ std::uint16_t next[most_states * classes];
  __shared__ Byte ends[most_states];
  for (int k = threadIdx.x; k < most_states * classes / 2; k += 128) {
    reinterpret_cast<unsigned*>(next)[k] = reinterpret_cast<const unsigned*>(all.next)[k];
  }
  for (int k = threadIdx.x; k < most_states; k += 128) ends[k] = all.ends[k];
  __syncthreads();
  const int i = blockIdx.x * 128 + threadIdx.x;
  int state = 0, found = 0;
  for (int k = 0; k < packet / 16; ++k) {
    const uint4 letters = text[i * (packet / 16) + k];
    const unsigned words[4] = {letters.x, letters.y, letters.z, letters.w};
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      state = next[state * classes + (words[j / 4] >> (8 * (j % 4))) % classes];
      found += ends[state];
    }
  }
  out[i] = found;
}

/// From each place on until no pattern goes on; state 0 follows where none does.
__global__ void place_a_thread(const Byte* text, Automaton all, int* out) {
  __shared__ Byte letters[packet];
  __shared__ int of_warps[32];
  const int t = threadIdx.x;
  letters[t] = text[blockIdx.x * packet + t] % classes;
  __syncthreads();
  int found = 0;
  for (int k = t, state = 0; k < packet; ++k) {
    state = all.next[state * classes + letters[k]];
    if (state == 0) break;
    found += all.ends[state];
  }
  found = block_sum(found, of_warps);
  if (t == 0) out[blockIdx.x] = found;
}

// Hidden states: 64 of them, 64 observations of 16 kinds a sequence.
constexpr int sequences = 640, states = 64, steps = 64, kinds = 16;

struct Model {
  const float *change, *shown;  ///< from state to state; of a kind in a state
  const Byte* seen;
};

__device__ void trace_back(const Byte* from, int last, Byte* path) {
  for (int k = steps - 1; k >= 0; --k) {
    path[k] = Byte(last);
    last = from[k * states + last];
  }
}

/// A block a sequence; the changes are read where they are needed.
__global__ void states_from_memory(Model model, Byte* from, Byte* paths) {
  __shared__ float scores[2][states];
  const int t = threadIdx.x, i = blockIdx.x;
  scores[0][t] = model.shown[model.seen[i * steps] * states + t];
  for (int k = 1; k < steps; ++k) {
    __syncthreads();
    const float* before = scores[(k - 1) % 2];
    float most = before[0] + model.change[t];
    int best = 0;
    for (int s = 1; s < states; ++s) {
      const float score = before[s] + model.change[s * states + t];
      if (score > most) most = score, best = s;
    }
    scores[k % 2][t] = most + model.shown[model.seen[i * steps + k] * states + t];
    from[(i * steps + k) * states + t] = Byte(best);
  }
  __syncthreads();
  if (t != 0) return;
  int last = 0;
  for (int s = 1; s < states; ++s) {
    if (scores[(steps - 1) % 2][s] > scores[(steps - 1) % 2][last]) last = s;
  }
  trace_back(from + i * steps * states, last, paths + i * steps);
}

/// The changes to a thread's state stay in registers, where it came from in shared memory.
__global__ void states_in_registers(Model model, Byte* paths) {
  __shared__ float4 scores[2][states / 4];
  __shared__ Byte from[steps * states];
  const int t = threadIdx.x, i = blockIdx.x;
  float change[states];
#pragma unroll
  for (int s = 0; s < states; ++s) change[s] = model.change[s * states + t];
  reinterpret_cast<float*>(scores[0])[t] = model.shown[model.seen[i * steps] * states + t];
  for (int k = 1; k < steps; ++k) {
    const float own = model.shown[model.seen[i * steps + k] * states + t];
    __syncthreads();
    float most = -1e30F;
    int best = 0;
#pragma unroll
    for (int s = 0; s < states; s += 4) {
      const float4 four = scores[(k - 1) % 2][s / 4];
      const float all[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const float score = all[j] + change[s + j];
        if (score > most) most = score, best = s + j;
      }
    }
    reinterpret_cast<float*>(scores[k % 2])[t] = most + own;
    from[k * states + t] = Byte(best);
  }
  __syncthreads();
  if (t != 0) return;
  const float* end = reinterpret_cast<const float*>(scores[(steps - 1) % 2]);
  int last = 0;
  for (int s = 1; s < states; ++s) {
    if (end[s] > end[last]) last = s;
  }
  for (int k = steps - 1; k >= 0; --k) {
    paths[i * steps + k] = Byte(last);
    if (k > 0) last = from[k * states + last];
  }
}

/// A launch a step; scores go through memory.
__global__ void states_of_step(Model model, int k, const float* before, float* after, Byte* from) {
  const int n = blockIdx.x * 256 + threadIdx.x, i = n / states, t = n % states;
  const float own = model.shown[model.seen[i * steps + k] * states + t];
  if (k == 0) {
    after[n] = own;
    return;
  }
  float most = before[i * states] + model.change[t];
  int best = 0;
  for (int s = 1; s < states; ++s) {
    const float score = before[i * states + s] + model.change[s * states + t];
    if (score > most) most = score, best = s;
  }
  after[n] = most + own;
  from[(i * steps + k) * states + t] = Byte(best);
}

__global__ void states_traced(const float* scores, const Byte* from, Byte* paths) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  int last = 0;
  for (int s = 1; s < states; ++s) {
    if (scores[i * states + s] > scores[i * states + last]) last = s;
  }
  trace_back(from + i * steps * states, last, paths + i * steps);
}

/// Patterns, and their automata: with what follows where none goes on, and without.
struct Patterns {
  std::vector<std::vector<Byte>> all;
  std::vector<std::uint16_t> next = std::vector<std::uint16_t>(most_states * classes);
  std::vector<std::uint16_t> full;
  std::vector<Byte> ends = std::vector<Byte>(most_states), full_ends;

  Patterns() {
    std::uint16_t made = 1;
    for (std::uint32_t i = 0; i < patterns_of_all; ++i) {
      std::vector<Byte> one(4 + mixed(i + 300) % 5);
      int state = 0;
      for (std::uint32_t k = 0; k < one.size(); ++k) {
        one[k] = Byte(1 + mixed(8 * i + k + 500) % 8);
        std::uint16_t& to = next[state * classes + one[k]];
        if (to == 0) to = made++;
        state = to;
      }
      ++ends[state];
      all.push_back(one);
    }
    full = next;
    full_ends = ends;
    std::vector<int> waiting, shorter(most_states);
    for (int c = 0; c < classes; ++c) {
      if (next[c] != 0) waiting.push_back(next[c]);
    }
    for (std::size_t k = 0; k < waiting.size(); ++k) {
      const int state = waiting[k];
      full_ends[state] = Byte(full_ends[state] + full_ends[shorter[state]]);
      for (int c = 0; c < classes; ++c) {
        const std::uint16_t other = full[shorter[state] * classes + c];
        std::uint16_t& to = full[state * classes + c];
        if (to == 0) {
          to = other;
        } else {
          shorter[to] = other;
          waiting.push_back(to);
        }
      }
    }
  }
};

Kernels edit_distances() {
  // Four letters, four a word; a text has its pattern in the middle, with one letter in six changed.
  const auto letter = [](std::uint32_t i) { return mixed(i) >> 13 & 3; };
  const auto of_text = [=](std::uint32_t i) {
    const std::uint32_t k = i % text_size, pair = i / text_size;
    const bool drawn = k < 32 || k >= 96 || mixed(~i) % 6 == 0;
    return drawn ? letter(i + 5000000) : letter(pair * pattern_size + k - 32);
  };
  const auto four = [](auto one) {
    return [=](std::uint32_t i) {
      return one(4 * i) | one(4 * i + 1) << 8 | one(4 * i + 2) << 16 | one(4 * i + 3) << 24;
    };
  };
  const Array<unsigned> patterns(pairs * pattern_size / 4, four(letter)),
      texts(pairs * text_size / 4, four(of_text));
  const Array<int> out(pairs);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<int> got = out.read();
                    return sampled(pairs, [&](std::size_t i) {
                      std::array<int, pattern_size + 1> row{};
                      for (int k = 0; k <= pattern_size; ++k) row[k] = k;
                      for (int y = 0; y < text_size; ++y) {
                        int diagonal = row[0]++;
                        for (int k = 1; k <= pattern_size; ++k) {
                          const bool same = letter(std::uint32_t(i * pattern_size + k - 1)) ==
                                            of_text(std::uint32_t(i * text_size + y));
                          const int to =
                              std::min(std::min(row[k], row[k - 1]) + 1, diagonal + (same ? 0 : 1));
                          diagonal = row[k];
                          row[k] = to;
                        }
                      }
                      return got[i] == row[pattern_size];
                    });
                  }};
  };
  const auto* a = reinterpret_cast<const Byte*>(patterns.device());
  const auto* b = reinterpret_cast<const Byte*>(texts.device());
  return {way("a thread a pair, row by row",
              [=] { distance_by_rows<<<pairs / 128, 128>>>(a, b, out.device()); }),
          way("a warp a pair, by diagonals",
              [=] { distance_by_diagonals<<<pairs / 4, 128>>>(a, b, out.device()); }),
          way("bits of a word", [=] {
            distance_by_bits<<<pairs / 128, 128>>>(patterns.device(), texts.device(), out.device());
          })};
}

Kernels patterns_in_packets() {
  const Patterns patterns;
  const Array<std::uint16_t> next(patterns.next), full(patterns.full);
  const Array<Byte> ends(patterns.ends), full_ends(patterns.full_ends);
  // A letter in ten is one of no pattern.
  const Array<Byte> text(packets * packet, [](std::uint32_t i) {
    const std::uint32_t drawn = mixed(i);
    return Byte('`' + (drawn % 10 == 0 ? 9 + (drawn >> 8) % 16 : 1 + (drawn >> 8) % 8));
  });
  const Array<int> out(packets);
  const auto whole = [=] { return Automaton{full.device(), full_ends.device()}; };
  const auto plain = [=] { return Automaton{next.device(), ends.device()}; };
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{
        name, [=] { out.clear(); }, launch,
        [=] {
          const std::vector<int> got = out.read();
          return sampled(packets, [&](std::size_t i) {
            int found = 0;
            for (const std::vector<Byte>& one : patterns.all) {
              for (std::size_t k = 0; k + one.size() <= packet; ++k) {
                std::size_t same = 0;
                while (same < one.size() && text[i * packet + k + same] % classes == one[same]) {
                  ++same;
                }
                found += same == one.size() ? 1 : 0;
              }
            }
            return got[i] == found;
          });
        }};
  };
  return {
      way("a thread a packet, table in memory",
          [=] { packet_a_thread<<<packets / 128, 128>>>(text.device(), whole(), out.device()); }),
      way("a thread a packet, table in shared memory",
          [=] {
            packet_by_shared_table<<<packets / 128, 128>>>(
                reinterpret_cast<const uint4*>(text.device()), whole(), out.device());
          }),
      way("a thread a place",
          [=] { place_a_thread<<<packets, packet>>>(text.device(), plain(), out.device()); })};
}

Kernels hidden_states() {
  const auto score = [](std::uint32_t i) { return std::log(0.001F + fraction(i)); };
  const Array<float> change(states * states, score),
      shown(kinds * states, [=](std::uint32_t i) { return score(i + 70000); });
  const Array<Byte> seen(sequences * steps,
                         [](std::uint32_t i) { return Byte(mixed(i + 90000) % kinds); });
  const Array<float> before(sequences * states), after(sequences * states);
  const Array<Byte> from(sequences * steps * states), paths(sequences * steps);
  const Model model = {change.device(), shown.device(), seen.device()};
  const auto path_of = [=](std::size_t i) {
    std::vector<float> scores(states), next(states);
    std::vector<Byte> came(steps * states), path(steps);
    for (int s = 0; s < states; ++s) scores[s] = shown[seen[i * steps] * states + s];
    for (int k = 1; k < steps; ++k) {
      for (int t = 0; t < states; ++t) {
        int best = 0;
        for (int s = 1; s < states; ++s) {
          if (scores[s] + change[s * states + t] > scores[best] + change[best * states + t])
            best = s;
        }
        const float most = scores[best] + change[best * states + t];
        next[t] = most + shown[seen[i * steps + k] * states + t];
        came[k * states + t] = Byte(best);
      }
      scores = next;
    }
    int last = int(std::max_element(scores.begin(), scores.end()) - scores.begin());
    for (int k = steps - 1; k >= 0; --k) {
      path[k] = Byte(last);
      last = came[k * states + last];
    }
    return path;
  };
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { paths.clear(); }, launch,
                  [=] {
                    const std::vector<Byte> got = paths.read();
                    for (std::size_t i = 0; i < sequences; i += 31) {
                      const std::vector<Byte> wanted = path_of(i);
                      if (!std::equal(wanted.begin(), wanted.end(), got.begin() + i * steps)) {
                        return false;
                      }
                    }
                    return true;
                  }};
  };
  return {
      way("changes from memory",
          [=] { states_from_memory<<<sequences, states>>>(model, from.device(), paths.device()); }),
      way("changes in registers",
          [=] { states_in_registers<<<sequences, states>>>(model, paths.device()); }),
      way("a launch a step", [=] {
        const float* scores = before.device();
        for (int k = 0; k < steps; ++k) {
          float* to = k % 2 == 0 ? after.device() : before.device();
          states_of_step<<<sequences * states / 256, 256>>>(model, k, scores, to, from.device());
          scores = to;
        }
        states_traced<<<sequences / 64, 64>>>(scores, from.device(), paths.device());
      })};
}

}  // namespace ladder::sequences
