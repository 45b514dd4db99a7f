// The tables, and how submissions come into them.
#include "grader/gradebook/gradebook.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "grader/gradebook/sha256.h"
#include "grader/report/see_it.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

constexpr int schema = 1;

/// `attempt.ended` numbers the finished attempts in the order in which they were finished.
constexpr const char* tables = R"sql(
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE text (hash TEXT PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE submission (
  id INTEGER PRIMARY KEY, student TEXT NOT NULL, hash TEXT NOT NULL, origin TEXT NOT NULL,
  late INTEGER NOT NULL, handed_in TEXT NOT NULL, taken INTEGER NOT NULL, UNIQUE (student, hash));
CREATE TABLE file (
  submission INTEGER NOT NULL REFERENCES submission, lab TEXT NOT NULL, stage TEXT NOT NULL,
  kind TEXT NOT NULL, text TEXT REFERENCES text, PRIMARY KEY (submission, lab, stage));
CREATE TABLE remark (
  submission INTEGER NOT NULL REFERENCES submission, place INTEGER NOT NULL, ignored INTEGER NOT NULL,
  words TEXT NOT NULL, PRIMARY KEY (submission, place));
CREATE TABLE student (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, platform TEXT NOT NULL, number TEXT NOT NULL,
  email TEXT NOT NULL, submission INTEGER NOT NULL REFERENCES submission);
CREATE TABLE worker (
  id INTEGER PRIMARY KEY AUTOINCREMENT, host TEXT NOT NULL, pid INTEGER NOT NULL,
  born INTEGER NOT NULL, scratch TEXT NOT NULL, seen INTEGER NOT NULL);
CREATE TABLE task (
  id INTEGER PRIMARY KEY, student TEXT NOT NULL REFERENCES student, lab TEXT NOT NULL,
  submission INTEGER NOT NULL REFERENCES submission, inputs TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'running', 'done')), anew INTEGER NOT NULL DEFAULT 0,
  worker INTEGER REFERENCES worker, attempt INTEGER, UNIQUE (student, lab));
CREATE INDEX task_state ON task (state);
CREATE TABLE attempt (
  id INTEGER PRIMARY KEY, student TEXT NOT NULL, lab TEXT NOT NULL, submission INTEGER NOT NULL,
  version TEXT NOT NULL, begun INTEGER NOT NULL, seconds REAL, ended INTEGER UNIQUE,
  score REAL, max_score REAL);
CREATE TABLE verdict (
  attempt INTEGER NOT NULL REFERENCES attempt, place INTEGER NOT NULL, stage TEXT NOT NULL,
  text TEXT NOT NULL, verdict TEXT NOT NULL, score REAL NOT NULL, max_score REAL NOT NULL,
  speedup REAL, message TEXT NOT NULL, result TEXT NOT NULL, PRIMARY KEY (attempt, stage));
CREATE INDEX verdict_text ON verdict (text, stage);
CREATE TABLE counter (
  attempt INTEGER NOT NULL REFERENCES attempt, stage TEXT NOT NULL, name TEXT NOT NULL,
  value REAL, PRIMARY KEY (attempt, stage, name));
)sql";

const std::string now = "CAST(strftime('%s', 'now') AS INTEGER)";

/// Names all that a grade of `lab` follows from on the student's side.
std::string inputs_of(const Submission& submission, const std::string& lab) {
  Sha256 hash;
  for (const StageFile& file : submission.files) {
    if (file.lab != lab) continue;
    hash.add_part(file.stage);
    hash.add_part(hash_of(&file));
  }
  return hash.digits();
}

std::string hash_of_all(const Submission& submission) {
  Sha256 hash;
  for (const StageFile& file : submission.files) {
    hash.add_part(file.lab);
    hash.add_part(file.stage);
    hash.add_part(hash_of(&file));
  }
  for (const std::string& name : submission.ignored) hash.add_part(name);
  for (const std::string& words : submission.remarks) hash.add_part(words);
  return hash.digits();
}

fs::path checked(const fs::path& folder, bool create) {
  const fs::path file = Gradebook::file_in(folder);
  std::error_code error;
  if (create) {
    fs::create_directories(folder, error);
    if (!fs::is_directory(folder))
      throw std::runtime_error(folder.string() + " cannot be made a folder for the results" +
                               (error ? ": " + error.message() : std::string()) + ".");
  } else if (!fs::exists(file, error)) {
    throw std::runtime_error("There are no results in " + folder.string() +
                             ". `./lab class grade SUBMISSIONS --out " +
                             shell_word(folder.string()) + "` makes them.");
  }
  return file;
}

}  // namespace

std::string hash_of(const StageFile* file) {
  if (file == nullptr) return "missing";
  return file->kind == StageFile::Kind::plain ? sha256(file->text) : name_of(file->kind);
}

fs::path Gradebook::file_in(const fs::path& folder) { return folder / "gradebook.sqlite"; }

Gradebook::Gradebook(const fs::path& folder, bool create)
    : file_(checked(folder, create)), database_(file_) {
  open_or_make(create);
}

void Gradebook::open_or_make(bool create) {
  const auto version = [&] {
    Statement query = database_.prepare("PRAGMA user_version");
    query.step();
    return query.integer(0);
  };
  if (version() == 0 && create)
    database_.transaction([&] {
      if (version() != 0) return;  // somebody else was faster
      database_.execute(tables);
      database_.execute("PRAGMA user_version = " + std::to_string(schema));
    });
  if (version() != schema)
    throw std::runtime_error(file_.string() +
                             " is not a gradebook of this version of the course (" +
                             std::to_string(version()) + ", expected " + std::to_string(schema) +
                             "). Repair: use the version that made it, or another folder.");
}

std::string Gradebook::setting(const std::string& name) {
  Statement query = database_.prepare("SELECT value FROM setting WHERE name = ?");
  query.bind(name);
  return query.step() ? query.text(0) : std::string();
}

void Gradebook::set(const std::string& name, const std::string& value) {
  database_.prepare("INSERT OR REPLACE INTO setting VALUES (?, ?)").bind(name).bind(value).run();
}

/// The submission's row, which is there already when nothing of it has changed.
std::int64_t Gradebook::keep(const Submission& submission) {
  const std::string hash = hash_of_all(submission);
  Statement find = database_.prepare("SELECT id FROM submission WHERE student = ? AND hash = ?");
  if (find.bind(submission.student.id).bind(hash).step()) {
    const std::int64_t row = find.integer(0);
    database_.prepare("UPDATE submission SET origin = ?, late = ?, handed_in = ? WHERE id = ?")
        .bind(submission.origin)
        .bind(submission.late ? 1 : 0)
        .bind(submission.handed_in)
        .bind(row)
        .run();
    return row;
  }
  database_
      .prepare(
          "INSERT INTO submission (student, hash, origin, late, handed_in, taken) VALUES "
          "(?, ?, ?, ?, ?, " +
          now + ")")
      .bind(submission.student.id)
      .bind(hash)
      .bind(submission.origin)
      .bind(submission.late ? 1 : 0)
      .bind(submission.handed_in)
      .run();
  const std::int64_t row = database_.last_row();
  for (const StageFile& file : submission.files) {
    const bool plain = file.kind == StageFile::Kind::plain;
    if (plain)
      database_.prepare("INSERT OR IGNORE INTO text VALUES (?, ?)")
          .bind(hash_of(&file))
          .bind_bytes(file.text)
          .run();
    Statement insert = database_.prepare("INSERT INTO file VALUES (?, ?, ?, ?, ?)");
    insert.bind(row).bind(file.lab).bind(file.stage).bind(name_of(file.kind));
    plain ? insert.bind(hash_of(&file)) : insert.bind_null();
    insert.run();
  }
  int place = 0;
  const auto add = [&](const std::string& words, bool ignored) {
    database_.prepare("INSERT INTO remark VALUES (?, ?, ?, ?)")
        .bind(row)
        .bind(++place)
        .bind(ignored ? 1 : 0)
        .bind(words)
        .run();
  };
  for (const std::string& name : submission.ignored) add(name, true);
  for (const std::string& words : submission.remarks) add(words, false);
  return row;
}

/// 1 when there is something to grade that was not graded before.
int Gradebook::open_task(const Submission& submission, std::int64_t row, const std::string& lab) {
  const std::string inputs = inputs_of(submission, lab);
  Statement find = database_.prepare("SELECT inputs FROM task WHERE student = ? AND lab = ?");
  if (!find.bind(submission.student.id).bind(lab).step()) {
    database_
        .prepare(
            "INSERT INTO task (student, lab, submission, inputs, state) VALUES (?, ?, ?, ?, "
            "'open')")
        .bind(submission.student.id)
        .bind(lab)
        .bind(row)
        .bind(inputs)
        .run();
    return 1;
  }
  if (find.text(0) == inputs) {
    database_.prepare("UPDATE task SET submission = ? WHERE student = ? AND lab = ?")
        .bind(row)
        .bind(submission.student.id)
        .bind(lab)
        .run();
    return 0;
  }
  // Whoever is grading the old text will find that the task is not theirs any more.
  database_
      .prepare(
          "UPDATE task SET submission = ?, inputs = ?, state = 'open', worker = NULL "
          "WHERE student = ? AND lab = ?")
      .bind(row)
      .bind(inputs)
      .bind(submission.student.id)
      .bind(lab)
      .run();
  return 1;
}

TakenIn Gradebook::take_in(const std::vector<Submission>& submissions,
                           const std::vector<std::string>& wanted) {
  std::set<std::string> labs(wanted.begin(), wanted.end());
  if (labs.empty()) {
    for (const Submission& submission : submissions)
      for (const StageFile& file : submission.files) labs.insert(file.lab);
  }
  TakenIn taken;
  database_.transaction([&] {
    taken = {};
    if (wanted.empty())
      for (const std::string& lab : this->labs()) labs.insert(lab);
    std::set<std::string> here;
    for (const Submission& submission : submissions) {
      const Student& student = submission.student;
      here.insert(student.id);
      Statement old = database_.prepare("SELECT submission FROM student WHERE id = ?");
      const bool is_known = old.bind(student.id).step();
      const std::int64_t before = is_known ? old.integer(0) : 0;
      const std::int64_t row = keep(submission);
      database_
          .prepare(
              "INSERT INTO student VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
              "name = excluded.name, platform = excluded.platform, "
              "number = excluded.number, email = excluded.email, "
              "submission = excluded.submission")
          .bind(student.id)
          .bind(student.name)
          .bind(name_of(submission.platform))
          .bind(student.number)
          .bind(student.email)
          .bind(row)
          .run();
      taken.new_students += is_known ? 0 : 1;
      taken.changed += is_known && before != row ? 1 : 0;
      for (const std::string& lab : labs) taken.tasks_opened += open_task(submission, row, lab);
    }
    Statement all = database_.prepare("SELECT id FROM student");
    while (all.step()) {
      ++taken.students;
      taken.gone += here.contains(all.text(0)) ? 0 : 1;
    }
  });
  return taken;
}

std::vector<std::string> Gradebook::labs() {
  std::vector<std::string> names;
  Statement query = database_.prepare("SELECT DISTINCT lab FROM task ORDER BY lab");
  while (query.step()) names.push_back(query.text(0));
  return names;
}

}  // namespace gridstride
