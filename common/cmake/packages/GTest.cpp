// What the course uses of GoogleTest.
#include <gtest/gtest.h>

class Listener : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo&) override {}
};

class Numbers : public testing::TestWithParam<int> {};
TEST_P(Numbers, AreCompared) {
  if (GetParam() > 1) GTEST_SKIP() << testing::PrintToString(GetParam());
  EXPECT_NEAR(GetParam(), 0.5, 1);
}
INSTANTIATE_TEST_SUITE_P(Few, Numbers, testing::ValuesIn({0, 1, 2}));

int run(int count, char** words) {
  testing::InitGoogleTest(&count, words);
  testing::UnitTest::GetInstance()->listeners().Append(new Listener);
  testing::RegisterTest("Lab", "Stage", nullptr, "1", __FILE__, __LINE__,
                        []() -> testing::Test* { return nullptr; });
  return RUN_ALL_TESTS();
}
