// The state of a class: one SQLite file that says who handed in what, what has been graded and what has
// not.
//
// A task is one student's one lab. Workers draw open tasks, several at a time and from several machines;
// a task that is drawn belongs to its worker until its verdicts are written, all in one transaction. So a
// worker can end at any moment: the task is open again once it is known that the worker is gone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/gradebook/database.h"
#include "grader/report/results.h"
#include "grader/submissions/submission.h"

namespace gridstride {

/// A process that grades. `id` is its row, 0 before it has one.
struct Worker {
  std::int64_t id = 0;
  std::string host;
  std::int64_t pid = 0;
  std::int64_t born = 0;  ///< the process's start, in the kernel's ticks: pids are used again
  std::string scratch;    ///< its folder of temporary files
};

struct Task {
  std::string student, lab;
  std::int64_t attempt = 0;
  std::vector<StageFile> files;  ///< of this lab
  /// The task was asked for again by name: nothing is taken from others' verdicts.
  bool anew = false;
};

/// How far a class is.
struct ClassProgress {
  std::int64_t open = 0, running = 0, done = 0;
  std::int64_t total() const { return open + running + done; }
};

struct Finished {
  std::string student, lab;
  double score = 0, max_score = 0;
};

/// What a new look at the submissions has changed.
struct TakenIn {
  int students = 0;  ///< in the gradebook now
  int new_students = 0;
  int changed = 0;  ///< submissions that are others than before
  int gone = 0;     ///< students who were not in it this time; they stay
  int tasks_opened = 0;
};

/// One student's one lab, as exports need it.
struct LabRecord {
  bool done = false;
  std::string version;  ///< of the course that graded it
  LabResult result;     ///< empty unless done
};

struct StudentRecord {
  Student student;
  Platform platform = Platform::folder;
  std::string origin, handed_in, submission;  ///< the last: its hash
  bool late = false;
  std::vector<std::string> ignored, remarks;
  std::map<std::string, LabRecord> labs;
};

class Gradebook {
 public:
  /// The file in `folder`; made, with the folder, where `create` says so. Throws std::runtime_error
  /// when it is not there, is not a gradebook, or is a newer program's.
  Gradebook(const std::filesystem::path& folder, bool create);
  static std::filesystem::path file_in(const std::filesystem::path& folder);

  /// Settings of the class: "device", "course". Empty when never set.
  std::string setting(const std::string& name);
  void set(const std::string& name, const std::string& value);

  /// Takes over what was handed in, and opens the tasks of `labs` that are new or changed. A lab's
  /// task is opened for each student; `labs` empty: those that anybody has handed in something for.
  TakenIn take_in(const std::vector<Submission>& submissions, const std::vector<std::string>& labs);
  /// The labs that there are tasks of.
  std::vector<std::string> labs();

  /// Opens again: STUDENT, STUDENT/LAB; names and numbers do as well as ids. How many tasks; throws
  /// UnknownName (course.h) where a name means nobody, or several.
  int again(const std::string& what);
  /// Opens again what another version of the course has graded. `versions` by lab.
  int again_outdated(const std::map<std::string, std::string>& versions);
  /// Opens again what could not be graded: `infrastructure` and `inconclusive`.
  int again_undecided();
  std::int64_t outdated(const std::map<std::string, std::string>& versions);

  void enlist(Worker& worker);
  void retire(const Worker& worker);
  /// Says that the worker lives. True while it is known: it may have been given up.
  bool seen(const Worker& worker);
  /// Opens the tasks of workers that are gone: on this host those of whom `lives` says so, on others
  /// those not seen for two minutes. Returns the former's folders of temporary files.
  std::vector<std::string> bury(const std::string& host,
                                const std::function<bool(const Worker&)>& lives);

  /// An open task, from now on `worker`'s; none when none is open. `versions` by lab.
  std::optional<Task> draw(const Worker& worker,
                           const std::map<std::string, std::string>& versions);
  /// Writes a task's verdicts. False when it is not the worker's any more: nothing is written.
  bool finish(const Worker& worker, const Task& task, const LabResult& result);
  /// Opens the task again, for whoever draws next.
  void give_back(const Worker& worker, const Task& task);
  /// The verdict that this version of the course gave the same text of the same stage, if nothing of it
  /// hangs on the machine's time. For the simulated device only: there a grade follows from the text.
  std::optional<StageResult> known(const std::string& version, const std::string& lab,
                                   const std::string& stage, const std::string& text);

  ClassProgress progress();
  /// What was finished since the place in the list of finished attempts that `place` says, which is moved
  /// on; 0 is its beginning.
  std::vector<Finished> finished_since(std::int64_t& place);
  /// By id.
  std::vector<StudentRecord> students();
  /// What each student has handed in last for the lab, by id; also what is no text.
  std::map<std::string, std::vector<StageFile>> files_of_class(const std::string& lab);
  /// Attempts of each lab by version, for `class status`.
  std::map<std::string, std::map<std::string, int>> versions();

 private:
  void open_or_make(bool create);
  std::int64_t keep(const Submission& submission);
  int open_task(const Submission& submission, std::int64_t row, const std::string& lab);
  std::vector<StageFile> files_of(std::int64_t submission, const std::string& lab);

  std::filesystem::path file_;
  Database database_;
};

/// Names what was handed in for one stage: its text, or of what kind it is. `nullptr`: nothing was.
std::string hash_of(const StageFile* file);

}  // namespace gridstride
