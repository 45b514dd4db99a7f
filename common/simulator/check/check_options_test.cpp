// Names of checks.
#include "common/simulator/check/check_options.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

namespace gridstride::sim {
namespace {

constexpr auto last_kind = static_cast<unsigned>(FindingKind::timeout);

/// Names of all that is looked for.
std::set<std::string> on(const std::string& list) {
  const CheckOptions checks = checks_named(list);
  std::set<std::string> names;
  for (unsigned i = 0; i <= last_kind; ++i) {
    const auto kind = static_cast<FindingKind>(i);
    if (checks.looks_for(kind)) names.insert(name_of(kind));
  }
  if (checks.leaks) names.insert("leaks");
  return names;
}

std::string complaint(const std::string& list) {
  try {
    checks_named(list);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

/// Rows of the table in docs/checks.md: a kind, and the group that it belongs to.
std::map<std::string, std::string> documented() {
  std::ifstream file(GRIDSTRIDE_CHECKS_PAGE);
  EXPECT_TRUE(file.good());
  std::map<std::string, std::string> groups;
  std::string group;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| ")) continue;
    const std::size_t bar = line.find('|', 2);
    if (line[2] == '`') {
      group = line.substr(3, line.find('`', 3) - 3);
    } else if (bar > 3) {
      group = "";  // always on
    }
    const std::string cell = line.substr(bar + 1, line.find('|', bar + 1) - bar - 1);
    for (std::size_t at = cell.find('`'); at != std::string::npos; at = cell.find('`', at)) {
      const std::size_t end = cell.find('`', at + 1);
      groups[cell.substr(at + 1, end - at - 1)] = group;
      at = end + 1;
    }
  }
  return groups;
}

const std::set<std::string> always = {"invalid_instruction", "timeout"};

TEST(CheckOptions, AreOnUnlessSomeAreNamed) {
  EXPECT_EQ(on("all").size(), last_kind + 2);
  EXPECT_EQ(on("none"), always);
  EXPECT_EQ(CheckOptions{}.looks_for(FindingKind::out_of_bounds), true);
  EXPECT_EQ(on("races,init,leaks"),
            (std::set<std::string>{"shared_race", "global_race", "uninitialized_read", "leaks",
                                   "invalid_instruction", "timeout"}));
}

TEST(CheckOptions, SwitchEachKindAlone) {
  for (unsigned i = 0; i <= last_kind; ++i) {
    const std::string name = name_of(static_cast<FindingKind>(i));
    if (always.contains(name)) continue;
    std::set<std::string> expected = always;
    expected.insert(name);
    EXPECT_EQ(on(name), expected);
    expected = on("all");
    expected.erase(name);
    EXPECT_EQ(on("all,-" + name), expected);
    EXPECT_EQ(on("-" + name), expected);
  }
  EXPECT_EQ(on("races,-global_race"),
            (std::set<std::string>{"shared_race", "invalid_instruction", "timeout"}));
  EXPECT_EQ(on("-races,global_race,-leaks,leaks").size(), last_kind + 1);
}

TEST(CheckOptions, RefuseANameThatThereIsNot) {
  const std::string text = complaint("global_rac");
  EXPECT_TRUE(
      text.starts_with("there is no check 'global_rac', did you mean 'global_race'? There "
                       "are memory (out_of_bounds, "))
      << text;
  EXPECT_TRUE(
      text.ends_with("barriers (barrier_divergence, skipped_barrier, wrong_mask, "
                     "inactive_lane), leaks, all and none"))
      << text;
  EXPECT_NE(complaint("race").find("did you mean 'races'?"), std::string::npos);
  EXPECT_NE(complaint("memory,,races").find("there is no check ''"), std::string::npos);
  EXPECT_NE(complaint("all,-").find("there is no check ''"), std::string::npos);
  EXPECT_EQ(complaint("timeout"), "'timeout' cannot be switched: it is always looked for");
}

TEST(CheckOptions, AreThoseOfTheManual) {
  const auto groups = documented();
  for (unsigned i = 0; i <= last_kind; ++i) {
    const std::string name = name_of(static_cast<FindingKind>(i));
    ASSERT_TRUE(groups.contains(name)) << name;
    const std::string& group = groups.at(name);
    EXPECT_EQ(group.empty(), always.contains(name)) << name;
    if (group.empty()) continue;
    EXPECT_TRUE(on(group).contains(name)) << name << " in " << group;
  }
}

}  // namespace
}  // namespace gridstride::sim
