// What stands in the gradebook, for who reads it.
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "grader/gradebook/gradebook.h"
#include "grader/report/json.h"

namespace gridstride {

ClassProgress Gradebook::progress() {
  ClassProgress progress;
  Statement query = database_.prepare("SELECT state, count(*) FROM task GROUP BY state");
  while (query.step()) {
    const std::string state = query.text(0);
    (state == "open"   ? progress.open
     : state == "done" ? progress.done
                       : progress.running) = query.integer(1);
  }
  return progress;
}

std::vector<Finished> Gradebook::finished_since(std::int64_t& place) {
  std::vector<Finished> all;
  Statement query = database_.prepare(
      "SELECT ended, student, lab, score, max_score FROM attempt WHERE ended > ? ORDER BY ended");
  query.bind(place);
  while (query.step()) {
    place = query.integer(0);
    all.push_back({query.text(1), query.text(2), query.real(3), query.real(4)});
  }
  return all;
}

std::vector<StudentRecord> Gradebook::students() {
  std::vector<StudentRecord> records;
  Statement query = database_.prepare(
      "SELECT student.id, name, platform, number, email, origin, handed_in, hash, late, "
      "submission.id "
      "FROM student JOIN submission ON submission.id = student.submission ORDER BY student.id");
  while (query.step()) {
    StudentRecord& record = records.emplace_back();
    record.student = {query.text(0), query.text(1), query.text(3), query.text(4)};
    record.platform = platform_named(query.text(2)).value_or(Platform::folder);
    record.origin = query.text(5);
    record.handed_in = query.text(6);
    record.submission = query.text(7);
    record.late = query.integer(8) != 0;
    Statement remarks =
        database_.prepare("SELECT ignored, words FROM remark WHERE submission = ? ORDER BY place");
    remarks.bind(query.integer(9));
    while (remarks.step())
      (remarks.integer(0) != 0 ? record.ignored : record.remarks).push_back(remarks.text(1));
    Statement tasks = database_.prepare(
        "SELECT task.lab, state, task.attempt, version, score, max_score FROM task LEFT JOIN "
        "attempt ON "
        "attempt.id = task.attempt WHERE task.student = ? ORDER BY task.lab");
    tasks.bind(record.student.id);
    while (tasks.step()) {
      LabRecord& lab = record.labs[tasks.text(0)];
      lab.done = tasks.text(1) == "done";
      lab.result.name = tasks.text(0);
      if (!lab.done) continue;
      lab.version = tasks.text(3);
      lab.result.score = tasks.real(4);
      lab.result.max_score = tasks.real(5);
      Statement verdicts =
          database_.prepare("SELECT result FROM verdict WHERE attempt = ? ORDER BY place");
      verdicts.bind(tasks.integer(2));
      while (verdicts.step())
        lab.result.stages.push_back(from_json(verdicts.text(0)).labs.at(0).stages.at(0));
    }
  }
  return records;
}

std::map<std::string, std::vector<StageFile>> Gradebook::files_of_class(const std::string& lab) {
  std::map<std::string, std::vector<StageFile>> files;
  Statement query = database_.prepare("SELECT id, submission FROM student");
  while (query.step()) files[query.text(0)] = files_of(query.integer(1), lab);
  return files;
}

std::map<std::string, std::map<std::string, int>> Gradebook::versions() {
  std::map<std::string, std::map<std::string, int>> counts;
  Statement query = database_.prepare(
      "SELECT task.lab, version, count(*) FROM task JOIN attempt ON attempt.id = task.attempt "
      "WHERE state = 'done' GROUP BY task.lab, version");
  while (query.step()) counts[query.text(0)][query.text(1)] = static_cast<int>(query.integer(2));
  return counts;
}

}  // namespace gridstride
