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

/// What `arguments` name: LAB or LAB/STAGE, also as the path of a file or folder (lab_path.h). A stage may be named by its number or by a beginning that no other stage
/// of the lab has (reduction/1, reduction/1_f), and behind its lab as a word of its own (reduction 1).
/// Nothing means the whole course. Labs come in the course's order, each once; only those that are
/// named are loaded. Throws UnknownName and ConfigError.
std::vector<Selection> select(const std::vector<std::string>& arguments,
                              const std::vector<std::string>& labs,
                              const std::filesystem::path& tree);

/// The one stage that `arguments` name. Throws UnknownName, also when they name a whole lab or several.
Selection select_stage(const std::vector<std::string>& arguments,
                       const std::vector<std::string>& labs, const std::filesystem::path& tree);

/// The names of its stages, of all of the lab where none was named.
std::vector<std::string> stage_names(const Selection& selection);

/// The shortest name of a stage that select() takes: "reduction/1".
std::string short_name(const LabConfig& lab, const std::string& stage);

}  // namespace gridstride
