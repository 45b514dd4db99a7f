// A class's marks, for people, spreadsheets, learning platforms and programs.
//
// The same gradebook gives the same bytes: students by id, labs and stages in the course's order, and no
// word of when or by whom something was graded.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "grader/course/lab_config.h"
#include "grader/gradebook/gradebook.h"

namespace gridstride {

struct ClassMarks {
  std::vector<LabConfig> labs;  ///< those that are told of, in the course's order
  std::vector<StudentRecord> students;
  std::string device;  ///< "gpu" or "sim"
};

/// Of all of `labs`. `max_score` also counts what is not graded.
double score_of(const StudentRecord& student, const std::vector<LabConfig>& labs);
double max_score_of(const std::vector<LabConfig>& labs);
/// Null while the student's lab, or the stage, is not graded.
const StageResult* stage_of(const StudentRecord& student, const std::string& lab,
                            const std::string& stage);
/// Whether all of `labs` are graded.
bool is_graded(const StudentRecord& student, const std::vector<LabConfig>& labs);

/// One row a student: marks, verdicts, remarks. A cell that a spreadsheet would take for a formula has an
/// apostrophe before it. Comma separated, as RFC 4180 has it.
std::string to_csv(const ClassMarks& marks);
/// Moodle's worksheet for "upload grading worksheet". Throws std::runtime_error when no student comes
/// from Moodle.
std::string to_moodle(const ClassMarks& marks);
/// Canvas' gradebook, an assignment for each lab. Throws like to_moodle().
std::string to_canvas(const ClassMarks& marks);
std::string to_class_json(const ClassMarks& marks);
/// A suite for each student's lab.
std::string to_class_junit(const ClassMarks& marks);

/// One page, which loads nothing. `feedback` is where the students' pages are from there, to be linked;
/// empty: nowhere.
std::string class_page(const ClassMarks& marks, const std::string& feedback);

/// What one student is told; no other is named on it.
std::string feedback_page(const StudentRecord& student, const ClassMarks& marks);
/// The names of their pages, by id: safe on every system, each its own.
std::map<std::string, std::string> feedback_names(const std::vector<StudentRecord>& students);

}  // namespace gridstride
