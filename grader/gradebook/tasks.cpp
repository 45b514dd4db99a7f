// Drawing tasks, and writing down what came of them.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/text.h"
#include "grader/course/course.h"
#include "grader/gradebook/gradebook.h"
#include "grader/report/json.h"

namespace gridstride {
namespace {

/// A worker on another host that has not said so for longer does not live. It says so every ten seconds.
constexpr std::int64_t silence_seconds = 120;

const std::string seconds_now = "CAST(strftime('%s', 'now') AS INTEGER)";

/// One stage's result as a document of its own, so that reports and gradebook share one schema.
std::string to_text(const StageResult& stage) {
  Results results;
  LabResult& lab = results.labs.emplace_back();
  lab.stages.push_back(stage);
  return to_json(results);
}

StageResult stage_in(const std::string& text) { return from_json(text).labs.at(0).stages.at(0); }

/// Whether another machine, or a busier one, might have said something else.
bool hangs_on_time(Verdict verdict) {
  return verdict == Verdict::timeout || verdict == Verdict::out_of_memory ||
         verdict == Verdict::inconclusive || verdict == Verdict::infrastructure;
}

}  // namespace

void Gradebook::enlist(Worker& worker) {
  database_
      .prepare("INSERT INTO worker (host, pid, born, scratch, seen) VALUES (?, ?, ?, ?, " +
               seconds_now + ")")
      .bind(worker.host)
      .bind(worker.pid)
      .bind(worker.born)
      .bind(worker.scratch)
      .run();
  worker.id = database_.last_row();
}

void Gradebook::retire(const Worker& worker) {
  database_.transaction([&] {
    database_
        .prepare(
            "UPDATE task SET state = 'open', worker = NULL WHERE worker = ? AND state = 'running'")
        .bind(worker.id)
        .run();
    database_.prepare("UPDATE task SET worker = NULL WHERE worker = ?").bind(worker.id).run();
    database_.prepare("DELETE FROM worker WHERE id = ?").bind(worker.id).run();
  });
}

bool Gradebook::seen(const Worker& worker) {
  database_.prepare("UPDATE worker SET seen = " + seconds_now + " WHERE id = ?")
      .bind(worker.id)
      .run();
  return database_.changes() == 1;
}

std::vector<std::string> Gradebook::bury(const std::string& host,
                                         const std::function<bool(const Worker&)>& lives) {
  std::vector<std::string> scratch;
  std::vector<Worker> dead;
  Statement query = database_.prepare("SELECT id, host, pid, born, scratch, " + seconds_now +
                                      " - seen FROM worker");
  while (query.step()) {
    Worker worker{query.integer(0), query.text(1), query.integer(2), query.integer(3),
                  query.text(4)};
    const bool is_here = worker.host == host;
    if (is_here ? lives(worker) : query.integer(5) < silence_seconds) continue;
    if (is_here) scratch.push_back(worker.scratch);
    dead.push_back(std::move(worker));
  }
  for (const Worker& worker : dead) retire(worker);
  return scratch;
}

std::vector<StageFile> Gradebook::files_of(std::int64_t submission, const std::string& lab) {
  std::vector<StageFile> files;
  Statement query = database_.prepare(
      "SELECT stage, kind, bytes FROM file LEFT JOIN text ON text.hash = file.text "
      "WHERE submission = ? AND lab = ? ORDER BY stage");
  query.bind(submission).bind(lab);
  while (query.step()) {
    StageFile& file = files.emplace_back();
    file.lab = lab;
    file.stage = query.text(0);
    file.kind = kind_named(query.text(1)).value_or(StageFile::Kind::plain);
    file.text = query.text(2);
  }
  return files;
}

std::optional<Task> Gradebook::draw(const Worker& worker,
                                    const std::map<std::string, std::string>& versions) {
  std::optional<Task> drawn;
  database_.transaction([&] {
    drawn.reset();
    Statement query = database_.prepare(
        "SELECT id, student, lab, submission, anew FROM task WHERE state = 'open' ORDER BY id "
        "LIMIT 1");
    if (!query.step()) return;
    Task& task = drawn.emplace();
    task.student = query.text(1);
    task.lab = query.text(2);
    task.anew = query.integer(4) != 0;
    const auto version = versions.find(task.lab);
    if (version == versions.end())
      throw std::runtime_error("The gradebook has a task of the lab '" + task.lab +
                               "', which this course lacks.");
    database_
        .prepare(
            "INSERT INTO attempt (student, lab, submission, version, begun) VALUES "
            "(?, ?, ?, ?, " +
            seconds_now + ")")
        .bind(task.student)
        .bind(task.lab)
        .bind(query.integer(3))
        .bind(version->second)
        .run();
    task.attempt = database_.last_row();
    database_.prepare("UPDATE task SET state = 'running', worker = ? WHERE id = ?")
        .bind(worker.id)
        .bind(query.integer(0))
        .run();
    task.files = files_of(query.integer(3), task.lab);
  });
  return drawn;
}

bool Gradebook::finish(const Worker& worker, const Task& task, const LabResult& result) {
  bool written = false;
  database_.transaction([&] {
    database_
        .prepare(
            "UPDATE task SET state = 'done', worker = NULL, anew = 0, attempt = ? "
            "WHERE student = ? AND lab = ? AND state = 'running' AND worker = ?")
        .bind(task.attempt)
        .bind(task.student)
        .bind(task.lab)
        .bind(worker.id)
        .run();
    written = database_.changes() == 1;
    if (!written) return;
    database_
        .prepare("UPDATE attempt SET seconds = " + seconds_now +
                 " - begun, ended = 1 + (SELECT coalesce(max(ended), 0) FROM attempt), score = ?, "
                 "max_score = ? WHERE id = ?")
        .bind(result.score)
        .bind(result.max_score)
        .bind(task.attempt)
        .run();
    int place = 0;
    for (const StageResult& stage : result.stages) {
      const StageFile* file = nullptr;
      for (const StageFile& one : task.files)
        if (one.stage == stage.name) file = &one;
      Statement insert =
          database_.prepare("INSERT INTO verdict VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
      insert.bind(task.attempt).bind(++place).bind(stage.name).bind(hash_of(file));
      insert.bind(name_of(stage.verdict)).bind(stage.score).bind(stage.max_score);
      stage.speedup ? insert.bind(stage.speedup->value) : insert.bind_null();
      insert.bind(stage.message).bind(to_text(stage)).run();
      for (const auto& [name, value] : stage.counters)
        database_.prepare("INSERT INTO counter VALUES (?, ?, ?, ?)")
            .bind(task.attempt)
            .bind(stage.name)
            .bind(name)
            .bind(value)
            .run();
    }
  });
  return written;
}

void Gradebook::give_back(const Worker& worker, const Task& task) {
  database_
      .prepare(
          "UPDATE task SET state = 'open', worker = NULL WHERE student = ? AND lab = ? AND "
          "worker = ? AND state = 'running'")
      .bind(task.student)
      .bind(task.lab)
      .bind(worker.id)
      .run();
}

std::optional<StageResult> Gradebook::known(const std::string& version, const std::string& lab,
                                            const std::string& stage, const std::string& text) {
  Statement query = database_.prepare(
      "SELECT result FROM verdict JOIN attempt ON attempt.id = verdict.attempt "
      "WHERE text = ? AND stage = ? AND lab = ? AND version = ? ORDER BY attempt.id DESC LIMIT 1");
  query.bind(text).bind(stage).bind(lab).bind(version);
  if (!query.step()) return std::nullopt;
  StageResult result = stage_in(query.text(0));
  if (hangs_on_time(result.verdict)) return std::nullopt;
  return result;
}

int Gradebook::again(const std::string& what) {
  const std::size_t slash = what.rfind('/');
  const auto students_named = [&](const std::string& name) {
    std::vector<std::string> ids;
    Statement query = database_.prepare(
        "SELECT id FROM student WHERE id = ?1 OR name = ?1 OR (number = ?1 AND number != '') ORDER "
        "BY id");
    query.bind(name);
    while (query.step()) {
      ids.push_back(query.text(0));
      if (ids.back() == name) return std::vector{name};
    }
    return ids;
  };
  std::string name = what, lab;
  std::vector<std::string> ids = students_named(name);
  if (ids.empty() && slash != std::string::npos) {
    name = what.substr(0, slash);
    lab = what.substr(slash + 1);
    ids = students_named(name);
  }
  if (ids.size() > 1)
    throw UnknownName("'" + escaped(name) + "' is the name of several students: " + listed(ids) +
                      ". Name one of these.");
  if (ids.empty()) {
    std::vector<std::string> all;
    Statement query = database_.prepare("SELECT id FROM student");
    while (query.step()) all.push_back(query.text(0));
    const std::string nearest = nearest_name(name, all);
    throw UnknownName("There is no student '" + escaped(name) + "' in the gradebook." +
                      (nearest.empty() ? "" : " Did you mean '" + nearest + "'?"));
  }
  Statement update = database_.prepare(
      "UPDATE task SET state = 'open', worker = NULL, anew = 1 WHERE student = ?1 AND (lab = ?2 OR "
      "?2 = '')");
  update.bind(ids.front()).bind(lab).run();
  if (database_.changes() == 0)
    throw UnknownName("There is nothing to grade again: " + escaped(what) + " has no task of '" +
                      escaped(lab) + "'. The labs are " + listed(labs()) + ".");
  return database_.changes();
}

namespace {
constexpr const char* is_outdated =
    "state = 'done' AND lab = ? AND (SELECT version FROM attempt WHERE id = task.attempt) != ?";
}  // namespace

std::int64_t Gradebook::outdated(const std::map<std::string, std::string>& versions) {
  std::int64_t count = 0;
  for (const auto& [lab, version] : versions) {
    Statement query =
        database_.prepare(std::string("SELECT count(*) FROM task WHERE ") + is_outdated);
    query.bind(lab).bind(version).step();
    count += query.integer(0);
  }
  return count;
}

int Gradebook::again_outdated(const std::map<std::string, std::string>& versions) {
  int count = 0;
  for (const auto& [lab, version] : versions) {
    database_.prepare(std::string("UPDATE task SET state = 'open' WHERE ") + is_outdated)
        .bind(lab)
        .bind(version)
        .run();
    count += database_.changes();
  }
  return count;
}

int Gradebook::again_undecided() {
  database_.execute(
      "UPDATE task SET state = 'open' WHERE state = 'done' AND EXISTS (SELECT 1 FROM verdict WHERE "
      "verdict.attempt = task.attempt AND verdict IN ('infrastructure', 'inconclusive'))");
  return database_.changes();
}

}  // namespace gridstride
