// What the shape of a mistake says about its cause.
#include "grader/judge/correctness/patterns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grader/judge/correctness/explain.h"

namespace gridstride {
namespace {

using PatternContract = void(const float*, float*, cudaStream_t);

/// The guess for `got` where 1, 2, 3 … is expected.
class Patterns : public testing::Test {
 protected:
  static std::vector<float> counting(std::size_t n) {
    std::vector<float> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i + 1);
    return values;
  }
  std::string explanation(const std::vector<float>& expected, const std::vector<float>& got,
                          const std::vector<Guess>& guesses = {}, std::uint64_t columns = 0) {
    Call call = make_call<PatternContract>(input(std::vector<float>{}), exactly(expected));
    SuiteData suite;
    suite.names = {"in", "out"};
    name_arguments(call, suite);
    call.arguments[1].columns = columns;
    const auto bytes = std::as_bytes(std::span(got));
    const Mismatches wrong = call.arguments[1].check->compare(bytes);
    const std::string name = "case";
    const WrongAnswer answer{name, static_cast<std::int64_t>(got.size()), call, 1, bytes, wrong};
    return explain(answer, false, guesses);
  }
  void expect(const std::vector<float>& got, const std::string& words) {
    const std::string text = explanation(counting(got.size()), got);
    EXPECT_NE(text.find(words), std::string::npos) << text;
  }
};

TEST_F(Patterns, FirstWrongElementStandsFirst) {
  auto got = counting(10);
  got[3] = 7, got[8] = 0;
  EXPECT_EQ(explanation(counting(10), got),
            "case: out[3] is 7, expected 4 (off by 3); size 10, 2 of 10 elements wrong.");
}

TEST(Difference, OfWholeNumbersIsExactAndHasNoSign) {
  using detail::difference;
  EXPECT_EQ(difference(0u, 2219541760u), "too small by 2219541760");
  EXPECT_EQ(difference(4294967295u, 1u), "too large by 4294967294");
  EXPECT_EQ(difference(std::int32_t{-2147483647}, std::int32_t{2147483647}),
            "too small by 4294967294");
  EXPECT_EQ(difference(~std::uint64_t{0}, std::uint64_t{0}), "too large by 18446744073709551615");
  EXPECT_EQ(difference(1.5f, 1.0), "off by 0.5");
  EXPECT_EQ(difference(std::numeric_limits<float>::infinity(), 1.0), "");
}

TEST_F(Patterns, OfRowsNamesRowsAndColumns) {
  const auto seen = [&](const std::function<bool(std::size_t row, std::size_t column)>& wrong) {
    auto got = counting(32 * 40);
    for (std::size_t i = 0; i < got.size(); ++i)
      if (wrong(i / 40, i % 40)) got[i] = -1;
    return explanation(counting(got.size()), got, {}, 40);
  };
  const std::string row = seen([](auto y, auto) { return y == 5; });
  EXPECT_NE(row.find("out[200] (row 5, column 0)"), std::string::npos) << row;
  EXPECT_NE(row.find("\nAll wrong elements are in row 5 of 32 rows of 40."), std::string::npos)
      << row;
  const std::string last = seen([](auto, auto x) { return x >= 32; });
  EXPECT_NE(last.find("in columns 32 to 39 of 32 rows of 40. That is where the last tile"),
            std::string::npos)
      << last;
  // A list would be said to end too early.
  const std::string below = seen([](auto y, auto) { return y >= 16; });
  EXPECT_EQ(below.find("one block"), std::string::npos) << below;
  EXPECT_EQ(seen([](auto y, auto x) { return (x + y) % 2 == 0; }).find('\n'), std::string::npos);
}

TEST_F(Patterns, NotANumber) {
  auto got = counting(10);
  got[3] = std::numeric_limits<float>::quiet_NaN();
  expect(got, "out[3] is nan, expected 4;");
  expect(got, "NaN spreads");
}

TEST_F(Patterns, ShiftedByOne) {
  std::vector<float> got(100), back(100);
  for (std::size_t i = 0; i < 100; ++i) {
    got[i] = static_cast<float>(i + 2);
    back[i] = static_cast<float>(i);
  }
  expect(got, "belongs one place further on");
  expect(back, "belongs one place back");
}

TEST_F(Patterns, RaggedTail) {
  auto got = counting(1000);
  for (std::size_t i = 992; i < 1000; ++i) got[i] = -1;
  expect(got, "the last, partly filled block of 32 or fewer is lost (ragged tail)");
}

TEST_F(Patterns, WhatBlocksPassOn) {
  auto got = counting(8192);
  for (std::size_t i = 2048; i < 8192; ++i) got[i] = -1;
  expect(got, "what one block passes on to the next is lost");
}

TEST_F(Patterns, TileEdges) {
  auto got = counting(1024);
  for (std::size_t i = 31; i < 1024; i += 32) got[i] = -1;
  expect(got, "All wrong elements are the last of a run of 32");
}

TEST_F(Patterns, WholeWarps) {
  auto got = counting(1024);
  for (std::size_t i = 64; i < 96; ++i) got[i] = -1;
  for (std::size_t i = 512; i < 544; ++i) got[i] = -1;
  expect(got, "a missing barrier");
}

TEST_F(Patterns, CountedTwice) {
  EXPECT_NE(explanation({100}, {200}).find("2 times the right one"), std::string::npos);
  EXPECT_NE(explanation({100}, {25}).find("1/4 of the right one"), std::string::npos);
}

TEST_F(Patterns, NothingWhereNothingShows) {
  auto got = counting(1000);
  got[123] = 5, got[700] = 6, got[711] = 8;
  const std::string text = explanation(counting(1000), got);
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

TEST_F(Patterns, ALabsOwnGuessComesFirst) {
  const Guess guess = [](const WrongAnswer& answer) -> std::optional<std::string> {
    return answer.value(answer.first()) == 200 ? std::optional("own words") : std::nullopt;
  };
  const std::string text = explanation({100}, {200}, {guess});
  EXPECT_NE(text.find("\nown words"), std::string::npos) << text;
  EXPECT_EQ(text.find("2 times"), std::string::npos);
}

std::string sizes(const std::function<bool(std::int64_t)>& passes) {
  std::vector<SizedCase> cases;
  for (const std::int64_t size : edge_sizes()) cases.push_back({size, passes(size)});
  return explain_sizes(cases).value_or("");
}

TEST(Sizes, MultiplesOfABlock) {
  EXPECT_NE(sizes([](std::int64_t n) { return n % 256 == 0; }).find("not a multiple of 256"),
            std::string::npos);
}

TEST(Sizes, OneBlockOnly) {
  EXPECT_NE(sizes([](std::int64_t n) { return n <= 1024; }).find("within one block only"),
            std::string::npos);
  EXPECT_NE(sizes([](std::int64_t n) { return n <= 32; }).find("within one warp only"),
            std::string::npos);
}

/// No block is that small: what fails from 5 elements on fails within a warp.
TEST(Sizes, AFewElementsAreNoBlock) {
  EXPECT_EQ(sizes([](std::int64_t n) { return n <= 3; }).find("block"), std::string::npos);
  EXPECT_NE(sizes([](std::int64_t n) { return n <= 3; }).find("on fails."), std::string::npos);
}

TEST(Sizes, SmallOnes) {
  EXPECT_NE(sizes([](std::int64_t n) { return n >= 1024; }).find("Only sizes up to 1023 fail"),
            std::string::npos);
}

TEST(Sizes, NoPattern) {
  EXPECT_EQ(sizes([](std::int64_t n) { return n % 3 == 0; }), "");
  EXPECT_EQ(sizes([](std::int64_t) { return false; }), "");
  EXPECT_EQ(sizes([](std::int64_t) { return true; }), "");
}

}  // namespace
}  // namespace gridstride
