// Names of checks.
#include "common/simulator/check/check_options.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace gridstride::sim {
namespace {

TEST(CheckOptions, AreOnUnlessSomeAreNamed) {
  const CheckOptions all = checks_named("all"), none = checks_named("none");
  EXPECT_TRUE(all.memory && all.races && all.uninitialized && all.barriers && all.leaks);
  EXPECT_FALSE(none.memory || none.races || none.uninitialized || none.barriers || none.leaks);
  const CheckOptions some = checks_named("races,init,barriers");
  EXPECT_TRUE(some.races && some.uninitialized && some.barriers);
  EXPECT_FALSE(some.memory || some.leaks);
}

TEST(CheckOptions, RefuseANameThatThereIsNot) {
  EXPECT_THROW(checks_named("race"), std::invalid_argument);
  EXPECT_THROW(checks_named("memory,,races"), std::invalid_argument);
}

}  // namespace
}  // namespace gridstride::sim
