// Reads the PTX files beside the tests.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace gridstride::sim::ptx {

inline std::string testdata(const std::string& name) {
  std::ifstream file(std::string(GRIDSTRIDE_PTX_TESTDATA) + '/' + name);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace gridstride::sim::ptx
