// Tables for spreadsheets and platforms.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/text.h"
#include "grader/gradebook/export/exports.h"

namespace gridstride {
namespace {

/// Spreadsheets run a cell that begins with one of these.
constexpr std::string_view starts_formula = "=+-@\t\r|%";

std::string cell(std::string_view given) {
  std::string text = clean_text(given);
  if (!text.empty() && starts_formula.find(text.front()) != std::string_view::npos)
    text.insert(text.begin(), '\'');
  if (text.find_first_of("\",\n\r;'") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string row(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& one : cells) line += (line.empty() ? "" : ",") + cell(one);
  return line + "\n";
}

std::string joined(const std::vector<std::string>& sentences) {
  std::string all;
  for (const std::string& one : sentences) all += (all.empty() ? "" : " ") + one;
  return all;
}

std::string marks_of_lab(const StudentRecord& student, const std::string& lab) {
  const auto found = student.labs.find(lab);
  return found == student.labs.end() || !found->second.done
             ? std::string()
             : plain_number(found->second.result.score);
}

/// "1_interleaved pass 10/10; 2_strided todo 0/12".
std::string short_words(const StudentRecord& student, const std::vector<LabConfig>& labs) {
  std::string words;
  for (const LabConfig& lab : labs) {
    for (const StageConfig& config : lab.stages) {
      const StageResult* const stage = stage_of(student, lab.name, config.name);
      words += (words.empty() ? "" : "; ") + lab.name + "/" + config.name + " " +
               (stage == nullptr
                    ? std::string("not graded")
                    : std::string(name_of(stage->verdict)) + " " + plain_number(stage->score) +
                          "/" + plain_number(stage->max_score));
    }
  }
  return joined(student.remarks) + (student.remarks.empty() ? "" : " ") + words;
}

std::vector<const StudentRecord*> of_platform(const ClassMarks& marks, Platform platform,
                                              const std::string& name) {
  std::vector<const StudentRecord*> students;
  for (const StudentRecord& student : marks.students)
    if (student.platform == platform) students.push_back(&student);
  if (students.empty())
    throw std::runtime_error("No student here was handed in through " + name +
                             ", whose numbers its table needs. --csv writes a table of its own.");
  return students;
}

}  // namespace

double score_of(const StudentRecord& student, const std::vector<LabConfig>& labs) {
  double score = 0;
  for (const LabConfig& lab : labs)
    if (const auto found = student.labs.find(lab.name);
        found != student.labs.end() && found->second.done)
      score += found->second.result.score;
  return score;
}

double max_score_of(const std::vector<LabConfig>& labs) {
  double score = 0;
  for (const LabConfig& lab : labs) score += lab.max_score();
  return score;
}

const StageResult* stage_of(const StudentRecord& student, const std::string& lab,
                            const std::string& stage) {
  const auto found = student.labs.find(lab);
  if (found == student.labs.end() || !found->second.done) return nullptr;
  const auto& stages = found->second.result.stages;
  const auto at = std::ranges::find(stages, stage, &StageResult::name);
  return at == stages.end() ? nullptr : &*at;
}

bool is_graded(const StudentRecord& student, const std::vector<LabConfig>& labs) {
  return std::ranges::all_of(labs, [&](const LabConfig& lab) {
    const auto found = student.labs.find(lab.name);
    return found != student.labs.end() && found->second.done;
  });
}

std::string to_csv(const ClassMarks& marks) {
  std::vector<std::string> head = {"student", "name",      "number", "email",
                                   "late",    "handed_in", "score",  "max_score"};
  for (const LabConfig& lab : marks.labs) {
    head.push_back(lab.name);
    for (const StageConfig& stage : lab.stages)
      for (const char* what : {"verdict", "points", "speedup"})
        head.push_back(lab.name + "/" + stage.name + " " + what);
  }
  head.insert(head.end(), {"remarks", "submission"});
  std::string text = row(head);
  for (const StudentRecord& record : marks.students) {
    std::vector<std::string> cells = {record.student.id,
                                      record.student.name,
                                      record.student.number,
                                      record.student.email,
                                      record.late ? "late" : "",
                                      record.handed_in,
                                      plain_number(score_of(record, marks.labs)),
                                      plain_number(max_score_of(marks.labs))};
    for (const LabConfig& lab : marks.labs) {
      cells.push_back(marks_of_lab(record, lab.name));
      for (const StageConfig& config : lab.stages) {
        const StageResult* const stage = stage_of(record, lab.name, config.name);
        cells.emplace_back(stage == nullptr ? "" : name_of(stage->verdict));
        cells.push_back(stage == nullptr ? "" : plain_number(stage->score));
        cells.push_back(stage == nullptr || !stage->speedup ? ""
                                                            : plain_number(stage->speedup->value));
      }
    }
    cells.push_back(joined(record.remarks));
    cells.push_back(record.submission.substr(0, 16));
    text += row(cells);
  }
  return text;
}

/// Moodle refuses a worksheet without the time of the last mark; an empty one is none.
std::string to_moodle(const ClassMarks& marks) {
  std::string text = row({"Identifier", "Full name", "Email address", "Grade", "Maximum grade",
                          "Last modified (grade)", "Feedback comments"});
  for (const StudentRecord* record : of_platform(marks, Platform::moodle, "Moodle"))
    text +=
        row({"Participant " + record->student.number, record->student.name, record->student.email,
             is_graded(*record, marks.labs) ? plain_number(score_of(*record, marks.labs)) : "",
             plain_number(max_score_of(marks.labs)), "", short_words(*record, marks.labs)});
  return text;
}

std::string to_canvas(const ClassMarks& marks) {
  std::vector<std::string> head = {"Student", "ID", "SIS User ID", "SIS Login ID", "Section"};
  std::vector<std::string> most = {"    Points Possible", "", "", "", ""};
  for (const LabConfig& lab : marks.labs) {
    head.push_back(lab.name);
    most.push_back(plain_number(lab.max_score()));
  }
  std::string text = row(head) + row(most);
  for (const StudentRecord* record : of_platform(marks, Platform::canvas, "Canvas")) {
    std::vector<std::string> cells = {record->student.name, record->student.number, "", "", ""};
    for (const LabConfig& lab : marks.labs) cells.push_back(marks_of_lab(*record, lab.name));
    text += row(cells);
  }
  return text;
}

}  // namespace gridstride
