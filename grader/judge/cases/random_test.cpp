// Inputs: the same from the same key on every machine, unpredictable otherwise.
#include "grader/judge/cases/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace gridstride {
namespace {

TEST(Rng, RepeatsFromTheSameKey) {
  const RandomKey key = RandomKey::derived(1, "reduction/3_sequential");
  Rng a(key), b(key);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next(), b.next());
}

/// Recorded once: results of the simulated device depend on these.
TEST(Rng, GivesTheSameNumbersForEver) {
  Rng rng(RandomKey::derived(42, "text"));
  EXPECT_EQ(rng.next(), 4410993475949352516u);
  EXPECT_EQ(rng.next(), 5439417102255880334u);
  auto number = [&rng, made = 2](int wanted) mutable {
    std::uint64_t value = 0;
    for (; made <= wanted; ++made) value = rng.next();
    return value;
  };
  EXPECT_EQ(number(9), 6423283928456080959u);
  EXPECT_EQ(number(127), 12267780437502575041u);
  EXPECT_EQ(number(128), 14792911078919261461u);
  EXPECT_EQ(number(100'000), 6839841831754239497u);
}

TEST(Rng, DiffersBetweenKeys) {
  std::set<std::uint64_t> firsts;
  for (const RandomKey& key :
       {RandomKey::derived(1, "a"), RandomKey::derived(2, "a"), RandomKey::derived(1, "b"),
        RandomKey::derived(1, ""), RandomKey::derived(1, "a").with(""),
        RandomKey::derived(1, "a").with("a"), RandomKey::derived(1, "aa"), RandomKey::fresh(),
        RandomKey::fresh()})
    firsts.insert(Rng(key).next());
  EXPECT_EQ(firsts.size(), 9u);
}

TEST(Rng, StaysInRange) {
  Rng rng(RandomKey::fresh());
  for (int i = 0; i < 10000; ++i) {
    const float real = rng.uniform(-1.0f, 1.0f);
    EXPECT_GE(real, -1);
    EXPECT_LT(real, 1);
    const int whole = rng.uniform(-3, 3);
    EXPECT_GE(whole, -3);
    EXPECT_LE(whole, 3);
  }
  EXPECT_EQ(rng.uniform(5, 5), 5);
  rng.uniform<std::int64_t>(INT64_MIN, INT64_MAX);  // the whole range must not divide by zero
}

TEST(Rng, IsUniform) {
  Rng rng(RandomKey::derived(3, "uniform"));
  int counts[10] = {};
  double sum = 0;
  for (int i = 0; i < 100000; ++i) {
    ++counts[rng.uniform(0, 9)];
    sum += rng.uniform(0.0, 1.0);
  }
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
  EXPECT_NEAR(sum / 100000, 0.5, 0.01);
}

TEST(Rng, ShufflesWithoutLosingAny) {
  Rng rng(RandomKey::derived(4, "shuffle"));
  std::vector<int> values(100);
  for (int i = 0; i < 100; ++i) values[static_cast<std::size_t>(i)] = i;
  const auto before = values;
  rng.shuffle(values);
  EXPECT_NE(values, before);
  std::ranges::sort(values);
  EXPECT_EQ(values, before);
}

}  // namespace
}  // namespace gridstride
