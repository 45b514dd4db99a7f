// Stages named by their files: an editor knows a path, and a shell completes one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gridstride {

/// A place in the folder of a lab's skeletons, or of its solutions.
struct LabPath {
  std::string lab;
  std::string inside;         ///< the rest, "3_sequential.cu"; empty: the folder itself
  bool in_solutions = false;  ///< else in labs/
  /// `inside` without ".cu": the stage, where it is a stage's file.
  std::string stage() const;
};

/// What `word` names as a path: from the current directory, or, where nothing is there, from the root of the course
/// ("labs/reduction/1_first.cu", "reduction/1_first.cu"). What does not exist counts where it can be nothing else.
/// Nothing for what lies elsewhere, and for a name ("reduction/1").
std::optional<LabPath> lab_path(const std::string& word, const std::vector<std::string>& labs,
                                const std::filesystem::path& tree);

/// Whether paths among `words` lie in labs/ (false) or in solutions/ (true); nothing where there is no path.
/// Throws UnknownName when some lie here and some there.
std::optional<bool> names_solutions(const std::vector<std::string>& words,
                                    const std::vector<std::string>& labs,
                                    const std::filesystem::path& tree);

/// Whether a function called main is written in the text of a program.
bool has_main(const std::string& text);

/// Whether `word` names a .cu file that is to be run: one that is no stage's, nor the course's own. Throws
/// ConfigError.
bool is_own_program(const std::string& word, const std::vector<std::string>& labs,
                    const std::filesystem::path& tree);

}  // namespace gridstride
