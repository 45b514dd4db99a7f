// What is shown of one case: windows around the first wrong element.
#include "grader/judge/correctness/case_view.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "grader/judge/cases/suite.h"

namespace gridstride {
namespace {

using ViewedContract = void(const float*, float*, std::int32_t width, cudaStream_t);

/// Expected is 0, 1, 2, …, and `got` has one wrong element.
std::string view(std::int32_t width, std::size_t count, std::size_t wrong) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i);
  Call call = make_call<ViewedContract>(input(values), exactly(values), width);
  SuiteData suite;
  suite.names = {"in", "out", "width"};
  if (width > 1) suite.columns = {{"in", "width"}, {"out", "width"}};
  name_arguments(call, suite);
  values[wrong] = -1;
  CallResult result;
  result.outputs.resize(4);
  const auto bytes = std::as_bytes(std::span(values));
  result.outputs[1].assign(bytes.begin(), bytes.end());
  return case_view(call, result);
}

TEST(CaseView, OfAListIsATableOfTheNeighbours) {
  const std::string seen = view(1, 100, 50);
  EXPECT_NE(seen.find("width = 1"), std::string::npos) << seen;
  EXPECT_NE(seen.find("out, 100 elements, 1 wrong, the first is out[50]"), std::string::npos)
      << seen;
  EXPECT_NE(seen.find("  >           50                50                -1\n"), std::string::npos)
      << seen;
  EXPECT_NE(seen.find("              46                46                46\n"), std::string::npos)
      << seen;
  EXPECT_EQ(seen.find("              45 "), std::string::npos) << seen;
}

TEST(CaseView, OfRowsIsAGrid) {
  const std::string seen = view(20, 200, 20 * 7 + 3);
  EXPECT_NE(seen.find("out, 10 rows of 20, 1 wrong, the first is out[143] (row 7, column 3)"),
            std::string::npos)
      << seen;
  EXPECT_NE(seen.find("    7                   140        141        142        >-1        144"),
            std::string::npos)
      << seen;
}

TEST(CaseView, OfOneElementShowsTheBeginning) {
  EXPECT_NE(view(1, 1, 0).find("in, 1 element\n"), std::string::npos);
}

TEST(CaseView, RowsOfAParameterThatIsNotThereAreTheAuthorsMistake) {
  Call call =
      make_call<ViewedContract>(input(std::vector<float>{}), exactly(std::vector<float>{}), 1);
  SuiteData suite;
  suite.names = {"in", "out", "width"};
  suite.columns = {{"in", "widht"}};
  EXPECT_THROW(name_arguments(call, suite), std::logic_error);
}

}  // namespace
}  // namespace gridstride
