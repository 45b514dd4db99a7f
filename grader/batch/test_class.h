// A made-up class: what students hand in, and the verdict that each stage must get.
//
// Honest solutions under renamed identifiers, the course's wrong kernels and cheats, work that is half
// done, skeletons, and broken archives, drawn from a seed. The same seed makes the same class.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace gridstride {

struct TestClassOptions {
  std::filesystem::path tree;  ///< the course, with its solutions
  std::string lab;
  int students = 20;
  std::uint64_t seed = 1;
  int first =
      0;  ///< begins with the student of this number: of each twenty, kinds come in an order
  /// Kernels that end only by the clock are left out: each takes half a minute.
  bool no_timeouts = false;
};

/// By "student/stage", "pass" …, of the simulated device.
using ExpectedVerdicts = std::map<std::string, std::string>;

/// Makes the class in `folder`, which must not exist.
ExpectedVerdicts make_test_class(const std::filesystem::path& folder,
                                 const TestClassOptions& options);

/// `text` with the names that it declares itself replaced by others. `keep` are the contract's.
std::string with_other_names(const std::string& text, const std::string& keep, std::uint64_t seed);

}  // namespace gridstride
