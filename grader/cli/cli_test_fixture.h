// For tests: the program as users type it, in a course of two labs.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "grader/cli/mini_course.h"

namespace gridstride::cli {

class CliTest : public testing::Test {
 protected:
  /// One line, with this exit code.
  void expect_message(const std::string& arguments, int exit_code, const std::string& message) {
    const RunResult result = course_.run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << arguments;
    EXPECT_EQ(result.output, message + "\n") << arguments;
  }
  static bool contains(const RunResult& result, const std::string& text) {
    return result.output.find(text) != std::string::npos;
  }

  MiniCourse course_;
};

}  // namespace gridstride::cli
