// Few lines: details are `class status --verbose`'s and the exports'.
#include "grader/batch/summary.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/terminal.h"
#include "common/text.h"
#include "grader/batch/commands.h"
#include "grader/cli/command.h"
#include "grader/report/results.h"
#include "grader/report/see_it.h"

namespace gridstride {
namespace {

constexpr std::size_t most_remarks = 12;

std::string count_of(std::int64_t number, const std::string& one, const std::string& many) {
  return std::to_string(number) + " " + (number == 1 ? one : many);
}

struct Tally {
  int students = 0, undecided = 0;
  double score = 0, max_score = 0;
};

}  // namespace

void print_wrapped(const std::string& text) {
  for (const std::string& line : wrap(text, style_of(stdout).width))
    std::printf("%s\n", line.c_str());
}

std::string shown(const Student& student) {
  return student.name.empty() || student.name == student.id
             ? student.id
             : student.id + " (" + escaped(student.name) + ")";
}

void require_graded(const std::vector<std::string>& known, const std::string& lab) {
  if (std::ranges::find(known, lab) != known.end()) return;
  throw cli::UsageError("--lab: nothing of '" + escaped(lab) + "' is in these results; they have " +
                        listed(known) + ".");
}

void print_intake(const ClassIntake& intake, const TakenIn& taken) {
  std::string words =
      count_of(static_cast<std::int64_t>(intake.submissions.size()), "student", "students") + " (" +
      name_of(intake.platform) + ")";
  if (taken.new_students != taken.students || taken.changed > 0)
    words += ", " + std::to_string(taken.new_students) + " new, " + std::to_string(taken.changed) +
             " changed";
  if (taken.gone > 0)
    words += ". " + count_of(taken.gone, "student is", "students are") +
             " not in it any more: what they had stays";
  print_wrapped(words + ".");
  std::size_t told = 0, all = 0;
  const auto tell = [&](const std::string& remark) {
    if (++all > most_remarks) return;
    print_wrapped("  " + remark);
    ++told;
  };
  for (const std::string& remark : intake.remarks) tell(remark);
  for (const Submission& submission : intake.submissions)
    for (const std::string& remark : submission.remarks)
      tell(shown(submission.student) + ": " + remark);
  if (all > told)
    print_wrapped("  … and " +
                  count_of(static_cast<std::int64_t>(all - told), "more remark", "more remarks") +
                  ": `./lab class status RESULTS --verbose` has them all.");
  std::fflush(stdout);
}

int print_summary(Gradebook& book, const std::filesystem::path& results, std::int64_t before,
                  const std::map<std::string, std::string>& versions, double seconds) {
  std::map<std::string, Tally> labs;
  std::vector<std::string> undecided;
  for (const StudentRecord& record : book.students()) {
    for (const auto& [name, lab] : record.labs) {
      if (!lab.done) continue;
      Tally& tally = labs[name];
      ++tally.students;
      tally.score += lab.result.score;
      tally.max_score = lab.result.max_score;
      for (const StageResult& stage : lab.result.stages)
        if (stage.verdict == Verdict::infrastructure || stage.verdict == Verdict::inconclusive)
          undecided.push_back(record.student.id + "/" + name + "/" + stage.name + ": " +
                              stage.message.substr(0, stage.message.find('\n')));
    }
  }
  const ClassProgress progress = book.progress();
  print_wrapped(count_of(progress.done - before, "task was", "tasks were") + " graded in " +
                plain_number(seconds, seconds < 10 ? 1 : 0) + " s, " + std::to_string(before) +
                " had been graded before.");
  for (const auto& [name, tally] : labs)
    print_wrapped("  " + name + ": " + count_of(tally.students, "student", "students") + ", mean " +
                  plain_number(tally.score / tally.students, 1) + " of " +
                  plain_number(tally.max_score));
  for (std::size_t i = 0; i < undecided.size() && i < most_remarks; ++i)
    print_wrapped("  " + undecided[i]);
  if (!undecided.empty())
    print_wrapped(
        count_of(static_cast<std::int64_t>(undecided.size()), "stage", "stages") +
        " could not be graded, which is nobody's fault here: mend what is said above, then run "
        "the same "
        "command again.");
  if (const std::int64_t old = book.outdated(versions); old > 0)
    print_wrapped(
        count_of(old, "task was", "tasks were") +
        " graded by another version of the course, and stay as they are; --outdated grades them "
        "again.");
  if (progress.done < progress.total())
    print_wrapped(count_of(progress.total() - progress.done, "task is", "tasks are") +
                  " not graded yet: the same command goes on.");
  else
    print_wrapped("`./lab class export " + shell_word(results.string()) +
                  " --csv marks.csv --html class.html` shows more.");
  return undecided.empty() && progress.done == progress.total() ? exit_pass : exit_infrastructure;
}

int class_status(const std::filesystem::path& results, bool verbose) {
  Gradebook book(results, /*create=*/false);
  const ClassProgress progress = book.progress();
  const std::vector<StudentRecord> students = book.students();
  print_wrapped(count_of(static_cast<std::int64_t>(students.size()), "student", "students") + ", " +
                count_of(progress.total(), "task", "tasks") + " (one student's one lab): " +
                std::to_string(progress.done) + " graded, " + std::to_string(progress.running) +
                " being graded, " + std::to_string(progress.open) +
                " to be graded. Device: " + book.setting("device") + ".");
  for (const auto& [lab, counts] : book.versions())
    for (const auto& [version, count] : counts)
      print_wrapped("  " + lab + ": " + std::to_string(count) + " by version " + version +
                    " of the course");
  int late = 0, with_remarks = 0;
  for (const StudentRecord& record : students) {
    late += record.late ? 1 : 0;
    with_remarks += record.remarks.empty() ? 0 : 1;
  }
  if (late > 0) print_wrapped(count_of(late, "submission is", "submissions are") + " late.");
  if (with_remarks > 0 && !verbose)
    print_wrapped("There are remarks on " + count_of(with_remarks, "submission", "submissions") +
                  ": --verbose shows them.");
  if (!verbose) return exit_pass;
  for (const StudentRecord& record : students) {
    std::string marks;
    for (const auto& [name, lab] : record.labs)
      marks +=
          (marks.empty() ? "" : ", ") + name + " " +
          (lab.done ? plain_number(lab.result.score) + " of " + plain_number(lab.result.max_score)
                    : std::string("not graded"));
    print_wrapped(shown(record.student) + ": " + marks);
    for (const std::string& remark : record.remarks) print_wrapped("  " + remark);
  }
  return exit_pass;
}

}  // namespace gridstride
