// The course: which labs there are, and what a user means by "reduction/3_sequential".
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "grader/course/lab_config.h"

namespace gridstride {

/// Something that was asked for does not exist; what() names the nearest that does.
class UnknownName : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The labs' names in the order they are taught, from the list that the build left in
/// `build`/labs.txt. Throws std::runtime_error with the repair when it is missing.
std::vector<std::string> lab_names(const std::filesystem::path& build);

/// Part of a lab. No stages means all of them.
struct Selection {
  LabConfig lab;
  std::vector<std::string> stages;
};

/// What `arguments` name: LAB or LAB/STAGE, also as the path of a file (labs/reduction/1_first.cu)
/// as a shell completes it. Nothing means the whole course. Labs come in the course's order, each
/// once; only those that are named are loaded. Throws UnknownName and ConfigError.
std::vector<Selection> select(const std::vector<std::string>& arguments,
                              const std::vector<std::string>& labs,
                              const std::filesystem::path& tree);

/// The one stage that `argument` names. Throws UnknownName, also when it names a whole lab.
Selection select_stage(const std::string& argument, const std::vector<std::string>& labs,
                       const std::filesystem::path& tree);

}  // namespace gridstride
