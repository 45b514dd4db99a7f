// What a class's commands say on a terminal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "grader/gradebook/gradebook.h"
#include "grader/submissions/intake.h"

namespace gridstride {

/// On standard output, wrapped.
void print_wrapped(const std::string& text);

/// "ada (Ada Lovelace)", or the id where that is the name.
std::string shown(const Student& student);

/// Throws UsageError when `lab`, which --lab asks for, is not among `known`, those of the gradebook.
void require_graded(const std::vector<std::string>& known, const std::string& lab);

/// Who is there, and what is to be said of submissions: the first few, and how many more.
void print_intake(const ClassIntake& intake, const TakenIn& taken);

/// How the class stands, and where to go on. `before` tasks were done when the command began. Returns the
/// exit code: 3 when something is not graded.
int print_summary(Gradebook& book, const std::filesystem::path& results, std::int64_t before,
                  const std::map<std::string, std::string>& versions, double seconds);

}  // namespace gridstride
