// How alike the texts of a class are, pair by pair. Nobody is accused: what is alike can be taught, taken
// from a hint, worked out together or copied, and only people can say which.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/similar/own_text.h"

namespace gridstride {

/// One stage as the class has written it.
struct StageOfClass {
  std::string name;
  std::string skeleton;
  std::string solution;                      ///< the course's own; empty where it is not there
  std::map<std::string, std::string> texts;  ///< by student, whole
};

/// One stage of one pair.
struct StageLikeness {
  std::string stage;
  std::size_t percent = 0;  ///< of the shorter text's own tokens that stand in the other
  std::size_t tokens = 0;   ///< the shorter text's own
};

struct SimilarPair {
  std::string first, second;          ///< students, by id
  double percent = 0;                 ///< of all stages that both have written
  std::size_t alike = 0, tokens = 0;  ///< own tokens that are alike, of so many
  /// Of `alike`, what is more than usual in the class; nothing of stages whose texts are both mostly the
  /// course's own solution, which is where they may have it from.
  double telling = 0;
  std::vector<StageLikeness> stages;
  /// How much of each one's stages stands in the course's own solution, in percent.
  std::optional<double> first_in_solution, second_in_solution;
};

struct StageOverview {
  std::string name;
  std::size_t texts = 0;             ///< that were compared
  std::size_t too_short = 0;         ///< own tokens that say nothing: fewer than `least_tokens`
  std::optional<std::size_t> usual;  ///< median percentage of all pairs; of three texts or more
  std::optional<std::size_t> usual_in_solution;  ///< median share that stands in the course's own
  std::vector<std::string>
      mostly_in_solution;  ///< students of whose text 90 % and more stand there
};

struct LabLikeness {
  std::string lab;
  std::size_t students = 0, pairs = 0;  ///< with something to compare
  std::vector<StageOverview> stages;
  std::vector<SimilarPair> most_alike;  ///< those that share most beyond what is usual
};

/// Shorter texts are alike by chance.
inline constexpr std::size_t least_tokens = 30;
/// A text of which so many percent stand in the course's own solution is mostly that.
inline constexpr std::size_t mostly = 90;

/// Compares all students with all, and tells of the `most` pairs that share most. `on_stage` is told what
/// is compared. Throws std::runtime_error where a program is missing.
LabLikeness compare_class(const std::string& lab, const std::vector<StageOfClass>& stages,
                          std::size_t most,
                          const std::function<void(const std::string&)>& on_stage);

}  // namespace gridstride
