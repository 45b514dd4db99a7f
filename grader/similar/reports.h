// Look-alikes for who has to look at them: one page with the texts side by side, a table, JSON.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/terminal.h"
#include "grader/similar/likeness.h"

namespace gridstride {

struct LabOfClass {
  LabLikeness likeness;
  std::vector<StageOfClass> stages;  ///< what was compared
};

/// What students are called, by id; who is not in it is called by the id.
using StudentNames = std::map<std::string, std::string>;

std::string name_in(const StudentNames& names, const std::string& id);

/// One page, which loads nothing. Throws std::runtime_error where a program is missing.
std::string similar_page(const std::vector<LabOfClass>& labs, const StudentNames& names);
std::string to_similar_json(const std::vector<LabOfClass>& labs, const StudentNames& names);
/// For the terminal, one lab.
std::string similar_table(const LabLikeness& lab, const StudentNames& names,
                          const TextStyle& style);

/// The stage in which the pair has most in common beyond what is usual.
const StageLikeness& most_telling(const SimilarPair& pair, const LabLikeness& lab);
/// "97 %"; "–" of none.
std::string in_percent(std::optional<double> percent);

}  // namespace gridstride
