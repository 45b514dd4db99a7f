// The ladder's kernels on the simulated GPU: each has to compute what the host does, for a time of
// wrong results says nothing about the model.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace gridstride::sim {
namespace {

constexpr int parts = 6;  ///< so that several can run at once

struct Shown {
  std::string text;
  int status = -1;
};

/// What the program prints on the scaled-down device, where bounds and uninitialised reads are checked.
Shown ladder(const std::string& words) {
  const std::string command = "LD_LIBRARY_PATH='" GRIDSTRIDE_SIM_LIBRARY
                              "' GRIDSTRIDE_SIM_CHECK=memory,init '" GRIDSTRIDE_LADDER "' " +
                              words + " 2>&1";
  Shown shown;
  FILE* out = popen(command.c_str(), "r");
  if (out == nullptr) return shown;
  for (int letter = 0; (letter = std::fgetc(out)) != EOF;) shown.text += static_cast<char>(letter);
  shown.status = pclose(out);
  return shown;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class Ladder : public testing::TestWithParam<int> {};

TEST_P(Ladder, ComputesWhatTheHostDoes) {
  const std::vector<std::string> families = lines_of(ladder("--list").text);
  ASSERT_GT(families.size(), 30U);
  std::string words = "--calls 1 --check";
  for (std::size_t i = GetParam(); i < families.size(); i += parts) {
    words += " '" + families[i] + "'";
  }
  const Shown shown = ladder(words);
  EXPECT_EQ(shown.status, 0) << shown.text;
  EXPECT_EQ(shown.text.find("out_of_bounds"), std::string::npos) << shown.text;
  EXPECT_EQ(shown.text.find("uninitialized_read"), std::string::npos) << shown.text;
}

INSTANTIATE_TEST_SUITE_P(Families, Ladder, testing::Range(0, parts));

TEST(LadderHalves, AreBothThere) {
  // A record is read by these words.
  const Shown shown = ladder("--calls 1 'sieve of primes' runs");
  EXPECT_EQ(shown.status, 0) << shown.text;
  EXPECT_NE(shown.text.find("\nheld-out,sieve of primes,\"bytes in memory\","), std::string::npos)
      << shown.text;
  EXPECT_NE(shown.text.find("\nfit,runs,\"by ballots\","), std::string::npos) << shown.text;
}

}  // namespace
}  // namespace gridstride::sim
