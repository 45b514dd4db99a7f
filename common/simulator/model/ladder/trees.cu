// Looking things up and putting sorted things together: trees of wide nodes, binary search, two sorted
// lists merged, records equal to a key, and the largest of each row.
#include <algorithm>

#include "ladder.h"

namespace ladder::trees {

constexpr int threads = 256, fan = 32, leaves = 1 << 20, questions = 1 << 18;

/// The n-th key in order; questions are for keys and for what lies between.
__host__ __device__ int nth_key(int n) { return 4 * n + int(mixed(n) % 3); }
__host__ __device__ int asked(std::uint32_t i) { return int(mixed(i) % (4U * leaves - 8U)) + 4; }

/// Nodes of all levels one after the other: a node has the least keys below its 32 children.
__global__ void warp_a_question(const int* tree, const int* ask, int* out) {
  const int i = (blockIdx.x * threads + threadIdx.x) / 32, lane = threadIdx.x % 32, key = ask[i];
  int node = 0, level = 0;
  for (int size = fan; size <= leaves; size *= fan) {
    const unsigned less = __ballot_sync(0xffffffffU, tree[level + node * fan + lane] <= key);
    node = node * fan + max(__popc(less) - 1, 0);
    level += size;
  }
  if (lane == 0) out[i] = node;
}

__global__ void thread_a_question(const int* tree, const int* ask, int* out) {
  const int i = blockIdx.x * threads + threadIdx.x, key = ask[i];
  int node = 0, level = 0;
  for (int size = fan; size <= leaves; size *= fan) {
    const int* keys = tree + level + node * fan;
    int low = 0;
    for (int step = fan / 2; step > 0; step /= 2) low += keys[low + step] <= key ? step : 0;
    node = node * fan + low;
    level += size;
  }
  out[i] = node;
}

/// The last key that is not above; `ask` in any order or sorted.
__global__ void bisect(const int* keys, const int* ask, int* out) {
  const int i = blockIdx.x * threads + threadIdx.x, key = ask[i];
  int low = 0, high = leaves;
  while (high - low > 1) {
    const int mid = (low + high) / 2;
    if (keys[mid] <= key) {
      low = mid;
    } else {
      high = mid;
    }
  }
  out[i] = low;
}

constexpr int list = 1 << 20, each = 8;

/// How many of the first `diagonal` of the merged list come from `a`.
__device__ int split(const int* a, const int* b, int n, int m, int diagonal) {
  int low = max(diagonal - m, 0), high = min(diagonal, n);
  while (low < high) {
    const int mid = (low + high) / 2;
    if (a[mid] <= b[diagonal - 1 - mid]) {
      low = mid + 1;
    } else {
      high = mid;
    }
  }
  return low;
}

__global__ void merge_by_threads(const int* a, const int* b, int* out) {
  const int begin = (blockIdx.x * threads + threadIdx.x) * each;
  int i = split(a, b, list, list, begin), j = begin - i;
  for (int k = 0; k < each; ++k) {
    const bool first = j >= list || (i < list && a[i] <= b[j]);
    out[begin + k] = first ? a[i++] : b[j++];
  }
}

/// The block's part of both lists in shared memory.
__global__ void merge_by_blocks(const int* a, const int* b, int* out) {
  constexpr int part = threads * each;
  __shared__ int kept[part], ends[2];
  const int begin = blockIdx.x * part;
  if (threadIdx.x < 2) ends[threadIdx.x] = split(a, b, list, list, begin + threadIdx.x * part);
  __syncthreads();
  const int from_a = ends[0], n = ends[1] - from_a, from_b = begin - from_a, m = part - n;
  for (int k = threadIdx.x; k < part; k += threads)
    kept[k] = k < n ? a[from_a + k] : b[from_b + k - n];
  __syncthreads();
  const int first = threadIdx.x * each;
  int i = split(kept, kept + n, n, m, first), j = first - i, mine[each];
  for (int k = 0; k < each; ++k) {
    const bool left = j >= m || (i < n && kept[i] <= kept[n + j]);
    mine[k] = left ? kept[i++] : kept[n + j++];
  }
  __syncthreads();
  for (int k = 0; k < each; ++k) kept[first + k] = mine[k];
  __syncthreads();
  for (int k = threadIdx.x; k < part; k += threads) out[begin + k] = kept[k];
}

constexpr int lines = 1 << 20, bytes = 16;

__global__ void compare_bytes(const char* text, const char* key, int* count) {
  const int i = blockIdx.x * threads + threadIdx.x;
  int k = 0;
  while (k < bytes && text[i * bytes + k] == key[k]) ++k;
  const int found = __syncthreads_count(k == bytes);
  if (threadIdx.x == 0 && found > 0) atomicAdd(count, found);
}

__global__ void compare_words(const uint4* text, const uint4* key, int* count) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const uint4 mine = text[i], wanted = *key;
  const bool equal =
      mine.x == wanted.x && mine.y == wanted.y && mine.z == wanted.z && mine.w == wanted.w;
  const int found = __syncthreads_count(equal);
  if (threadIdx.x == 0 && found > 0) atomicAdd(count, found);
}

constexpr int rows = 2048, columns = 2048, most = 8;

/// A block a row takes the largest eight times.
__global__ void largest(const float* in, float* out) {
  __shared__ unsigned long long best;
  float mine[columns / threads];
  for (int k = 0; k < columns / threads; ++k) {
    mine[k] = in[blockIdx.x * columns + k * threads + threadIdx.x];
  }
  for (int n = 0; n < most; ++n) {
    if (threadIdx.x == 0) best = 0;
    __syncthreads();
    unsigned long long top = 0;
    for (int k = 0; k < columns / threads; ++k) {
      const unsigned long long packed_value =
          static_cast<unsigned long long>(__float_as_uint(mine[k])) << 32 |
          (k * threads + threadIdx.x);
      top = max(top, packed_value);
    }
    for (int step = 16; step > 0; step /= 2) {
      top = max(top, __shfl_xor_sync(0xffffffffU, top, step));
    }
    if (threadIdx.x % 32 == 0) atomicMax(&best, top);
    __syncthreads();
    const unsigned place = unsigned(best);
    for (int k = 0; k < columns / threads; ++k) {
      if (place == k * threads + threadIdx.x) mine[k] = 0;
    }
    if (threadIdx.x == 0) out[blockIdx.x * most + n] = __uint_as_float(unsigned(best >> 32));
    __syncthreads();
  }
}

Kernels wide_nodes() {
  std::vector<int> nodes;
  for (int size = fan; size <= leaves; size *= fan) {
    for (int k = 0; k < size; ++k) nodes.push_back(nth_key(k * (leaves / size)));
  }
  const Array<int> tree(nodes), ask(questions, asked), out(questions);
  const auto way = [=](const char* name, auto kernel, int lanes) {
    return Kernel{name, [=] { out.clear(); },
                  [=] {
                    kernel<<<questions / threads * lanes, threads>>>(tree.device(), ask.device(),
                                                                     out.device());
                  },
                  [=] {
                    const std::vector<int> got = out.read();
                    return sampled(questions, [&](std::size_t i) {
                      return nth_key(got[i]) <= ask[i] &&
                             (got[i] + 1 == leaves || nth_key(got[i] + 1) > ask[i]);
                    });
                  }};
  };
  return {way("thread a question", thread_a_question, 1),
          way("warp a question", warp_a_question, 32)};
}

Kernels bisection() {
  const Array<int> keys(leaves, [](std::uint32_t i) { return nth_key(int(i)); }), out(questions),
      drawn(questions, asked), sorted(questions, [](std::uint32_t i) { return int(16 * i) + 5; });
  const auto way = [=](const char* name, const Array<int>& ask) {
    return Kernel{name, [=] { out.clear(); },
                  [=] {
                    bisect<<<questions / threads, threads>>>(keys.device(), ask.device(),
                                                             out.device());
                  },
                  [=] {
                    const std::vector<int> got = out.read();
                    return sampled(questions, [&](std::size_t i) {
                      return nth_key(got[i]) <= ask[i] &&
                             (got[i] + 1 == leaves || nth_key(got[i] + 1) > ask[i]);
                    });
                  }};
  };
  return {way("drawn questions", drawn), way("sorted questions", sorted)};
}

Kernels merging() {
  const Array<int> a(list, [](std::uint32_t i) { return nth_key(int(i)); }),
      b(list, [](std::uint32_t i) { return nth_key(int(i)) + int(mixed(i / 64) % 999); }),
      out(2 * list);
  std::vector<int> sorted;
  for (int i = 0; i < list; ++i) sorted.push_back(b[i]);
  std::sort(sorted.begin(), sorted.end());
  const Array<int> second(sorted);
  const auto way = [=](const char* name, auto kernel) {
    return Kernel{name, [=] { out.clear(); },
                  [=] {
                    kernel<<<2 * list / each / threads, threads>>>(a.device(), second.device(),
                                                                   out.device());
                  },
                  [=] {
                    std::vector<int> wanted(2 * list);
                    std::merge(&a[0], &a[0] + list, &second[0], &second[0] + list, wanted.begin());
                    return out.read() == wanted;
                  }};
  };
  return {way("eight a thread", merge_by_threads), way("parts in shared memory", merge_by_blocks)};
}

Kernels equal_records() {
  const Array<char> text(
      lines * bytes,
      [](std::uint32_t k) {
        const std::uint32_t line = k / bytes;
        return char('a' +
                    (mixed(line) % 16 == 0 || k % bytes < mixed(line) % 8 ? 0 : mixed(k) % 4));
      }),
      key(bytes, [](std::uint32_t) { return 'a'; });
  const Array<int> count(1);
  const auto right = [=] {
    int wanted = 0;
    for (int i = 0; i < lines; ++i)
      wanted += std::equal(&key[0], &key[0] + bytes, &text[i * bytes]);
    return count.read()[0] == wanted;
  };
  return {
      {"byte by byte", [=] { count.clear(); },
       [=] {
         compare_bytes<<<lines / threads, threads>>>(text.device(), key.device(), count.device());
       },
       right},
      {"16 bytes at once", [=] { count.clear(); },
       [=] {
         compare_words<<<lines / threads, threads>>>(reinterpret_cast<const uint4*>(text.device()),
                                                     reinterpret_cast<const uint4*>(key.device()),
                                                     count.device());
       },
       right}};
}

Kernels largest_of_rows() {
  const Array<float> in(rows * columns, fraction), out(rows * most);
  return {{"one after the other", [=] { out.clear(); },
           [=] { largest<<<rows, threads>>>(in.device(), out.device()); },
           [=] {
             const std::vector<float> got = out.read();
             return sampled(rows, [&](std::size_t row) {
               std::vector<float> all(&in[row * columns], &in[row * columns] + columns);
               std::sort(all.rbegin(), all.rend());
               return std::equal(all.begin(), all.begin() + most, &got[row * most]);
             });
           }}};
}

}  // namespace ladder::trees
