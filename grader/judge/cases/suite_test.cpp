// Calls as a lab's author writes them, as bytes.
#include "grader/judge/cases/suite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace gridstride {
namespace {

enum class Mode : std::int32_t { fast = 3 };
struct Pair {
  int key, value;
};
std::string to_text(const Pair& pair) {
  return "(" + std::to_string(pair.key) + ", " + std::to_string(pair.value) + ")";
}

using Function = void(const float*, Pair*, std::int64_t, Mode, Scratch, cudaStream_t);

TEST(MakeCall, FollowsTheFunctionsType) {
  const Call call = make_call<Function>(
      input(std::vector<float>{1, 2}).at_offset(3),
      accepted<Pair>(std::vector<int>{7}, [](const Pair& got, int key) { return got.key == key; }),
      2, Mode::fast, scratch(64));
  ASSERT_EQ(call.arguments.size(), 6u);
  EXPECT_EQ(call.arguments[0].info.kind, ArgumentKind::input);
  EXPECT_EQ(call.arguments[0].bytes(), 8u);
  EXPECT_EQ(call.arguments[0].offset, 3u);
  EXPECT_EQ(call.arguments[1].info.kind, ArgumentKind::output);
  EXPECT_EQ(call.arguments[1].bytes(), sizeof(Pair));
  EXPECT_TRUE(call.arguments[1].data().empty());
  std::int64_t size = 0;
  ASSERT_EQ(call.arguments[2].data().size(), sizeof size);
  std::memcpy(&size, call.arguments[2].data().data(), sizeof size);
  EXPECT_EQ(size, 2);
  EXPECT_EQ(call.arguments[3].info.element_bytes, 4u);
  EXPECT_EQ(call.arguments[4].bytes(), 64u);
  EXPECT_EQ(call.arguments[5].info.kind, ArgumentKind::stream);
}

TEST(MakeCall, SeesASharedInputThatIsRedrawn) {
  const auto values = std::make_shared<std::vector<int>>(std::vector<int>{1, 2});
  const Call call = make_call<void(const int*, int*, cudaStream_t)>(
      input(values), exactly(std::vector<int>{1, 2}));
  *values = std::vector<int>{3, 4};  // other storage: what was viewed before is gone
  const auto seen = call.arguments[0].data();
  ASSERT_EQ(seen.size(), 2 * sizeof(int));
  EXPECT_EQ(std::memcmp(seen.data(), values->data(), seen.size()), 0);
  values->push_back(5);
  EXPECT_THROW(call.arguments[0].data(), std::logic_error);
}

TEST(MakeCall, TakesOutputsThatAreReadToo) {
  const Call call =
      make_call<void(int*, cudaStream_t)>(exactly(std::vector<int>{1, 2}).initially({2, 1}));
  EXPECT_EQ(call.arguments[0].data().size(), 8u);
  EXPECT_THROW(exactly(std::vector<int>{1}).initially({1, 2}), std::logic_error);
}

template <class T>
std::uint64_t wrong(const Output<T>& output, const std::vector<T>& got) {
  return output.check->compare(std::as_bytes(std::span(got))).count;
}

TEST(Outputs, WithinABoundIsNotBeyondIt) {
  const auto output = within<float>({1, 1, 1, 1}, 0.5);
  EXPECT_EQ(wrong(output, {1.5f, 0.5f, 1, 1.25f}), 0u);
  EXPECT_EQ(wrong(output, {1.6f, 0.4f, 1, 1}), 2u);
}

TEST(Outputs, NaNAndInfinityAreWrong) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto output = within<float>({1, 1, infinity}, 1e30);
  EXPECT_EQ(wrong(output, {std::nanf(""), 1, infinity}), 1u);
  EXPECT_EQ(wrong(output, {infinity, 1, infinity}), 1u);
  EXPECT_EQ(wrong(output, {1, 1, 3e38f}), 1u);
  EXPECT_EQ(wrong(exactly(std::vector<float>{1}), {std::nanf("")}), 1u);
}

TEST(Outputs, EachElementMayHaveItsBound) {
  EXPECT_EQ(wrong(within<float>({1, 1}, {0.1, 1.0}), {2, 2}), 1u);
  EXPECT_THROW(within<float>({1, 1}, std::vector<double>{1}), std::logic_error);
}

TEST(Outputs, AWholeCanBeChecked) {
  const auto sorted = checked<int>(3, [](std::span<const int> got) -> std::optional<Complaint> {
    for (std::uint64_t i = 1; i < got.size(); ++i) {
      if (got[i] < got[i - 1]) return Complaint{i, "no less than its neighbour", 1};
    }
    return std::nullopt;
  });
  EXPECT_EQ(wrong(sorted, {1, 2, 3}), 0u);
  EXPECT_EQ(wrong(sorted, {1, 3, 2}), 1u);
  EXPECT_EQ(sorted.check->expected_text(2), "no less than its neighbour");
}

TEST(Outputs, ShowValuesInTheirTypesWords) {
  const auto output = accepted<Pair>(std::vector<Pair>{{1, 2}},
                                     [](const Pair& a, const Pair& b) { return a.key == b.key; });
  EXPECT_EQ(output.check->expected_text(0), "(1, 2)");
  EXPECT_EQ(within<float>({0.1}, 0.0).check->expected_text(0), "0.1");
}

TEST(Suite, NamesAMissingTolerance) {
  SuiteData data;
  const Suite<Function> suite(data);
  try {
    suite.tolerance("sum");
    FAIL();
  } catch (const std::out_of_range& error) {
    EXPECT_STREQ(error.what(), "lab.toml has no tolerance named sum");
  }
}

TEST(Redraw, KeepsWhatItWrites) {
  Redraw redraw;
  redraw.write(0, 5, std::vector<float>{1, 2});
  redraw.expect(1, [] { return exactly(std::vector<int>{3}); });
  EXPECT_EQ(redraw.patches.front().bytes.size(), 8u);
  EXPECT_EQ(redraw.patches.front().index, 5u);
  EXPECT_EQ(redraw.checks.at(1)()->count(), 1u);
}

}  // namespace
}  // namespace gridstride
