// JSON and JUnit XML: what one student's results are is the report's to say.
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "common/text.h"
#include "grader/gradebook/export/exports.h"
#include "grader/report/json.h"
#include "grader/report/junit.h"

namespace gridstride {
namespace {

using Json = nlohmann::ordered_json;

constexpr int schema = 1;

Json lab_to_json(const LabRecord& record) {
  Results results;
  results.labs.push_back(record.result);
  Json lab = Json::parse(to_json(results)).at("labs").at(0);
  lab.erase("ignored");  // of the whole submission
  lab["course_version"] = record.version;
  return lab;
}

Json student_to_json(const StudentRecord& record, const ClassMarks& marks) {
  Json labs = Json::array();
  for (const LabConfig& lab : marks.labs) {
    const auto found = record.labs.find(lab.name);
    if (found == record.labs.end()) continue;
    labs.push_back(found->second.done ? lab_to_json(found->second)
                                      : Json{{"name", lab.name}, {"stages", nullptr}});
  }
  return {{"id", clean_text(record.student.id)},
          {"name", clean_text(record.student.name)},
          {"number", clean_text(record.student.number)},
          {"email", clean_text(record.student.email)},
          {"platform", name_of(record.platform)},
          {"origin", clean_text(record.origin)},
          {"submission", record.submission},
          {"handed_in", clean_text(record.handed_in)},
          {"late", record.late},
          {"score", score_of(record, marks.labs)},
          {"max_score", max_score_of(marks.labs)},
          {"remarks", record.remarks},
          {"ignored", record.ignored},
          {"labs", std::move(labs)}};
}

}  // namespace

std::string to_class_json(const ClassMarks& marks) {
  Json students = Json::array();
  for (const StudentRecord& record : marks.students)
    students.push_back(student_to_json(record, marks));
  const Json document = {
      {"schema", schema}, {"device", marks.device}, {"students", std::move(students)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_class_junit(const ClassMarks& marks) {
  Results all;
  for (const StudentRecord& record : marks.students) {
    for (const LabConfig& lab : marks.labs) {
      const auto found = record.labs.find(lab.name);
      if (found == record.labs.end() || !found->second.done) continue;
      LabResult& result = all.labs.emplace_back(found->second.result);
      result.name = record.student.id + "/" + lab.name;
      result.ignored = record.ignored;
    }
  }
  all.total();
  return to_junit(all);
}

}  // namespace gridstride
