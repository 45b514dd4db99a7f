// lab class export: one file or folder for each option.
#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "common/files.h"
#include "common/text.h"
#include "grader/batch/commands.h"
#include "grader/batch/summary.h"
#include "grader/cli/command.h"
#include "grader/cli/output_file.h"
#include "grader/course/course.h"
#include "grader/gradebook/export/exports.h"
#include "grader/report/results.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

/// Those of the gradebook, in the course's order.
std::vector<LabConfig> labs_to_export(Gradebook& book, const std::vector<std::string>& asked,
                                      const cli::Places& places) {
  const std::vector<std::string> known = book.labs();
  for (const std::string& name : asked) require_graded(known, name);
  std::vector<LabConfig> labs;
  for (const std::string& name : lab_names(places.build())) {
    const auto& wanted = asked.empty() ? known : asked;
    if (std::ranges::find(wanted, name) != wanted.end())
      labs.push_back(load_lab_config(places.tree() / "labs" / name));
  }
  return labs;
}

void write_feedback(const ClassMarks& marks, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder))
    throw std::runtime_error("--feedback: " + folder.string() + " cannot be made a folder.");
  const auto names = feedback_names(marks.students);
  for (const StudentRecord& student : marks.students)
    write_file(folder / names.at(student.student.id), feedback_page(student, marks));
}

}  // namespace

int class_export(const ClassExportOptions& options) {
  const std::vector<std::string> files = {options.csv,    options.json,   options.junit,
                                          options.moodle, options.canvas, options.html};
  const bool any =
      !options.feedback.empty() ||
      std::ranges::any_of(files, [](const std::string& file) { return !file.empty(); });
  if (!any)
    throw cli::UsageError(
        "Say what to write: --csv FILE, --json FILE, --junit FILE, --moodle FILE, --canvas FILE, "
        "--html FILE or --feedback FOLDER.");
  cli::check_all_writable(files);
  const cli::Places places;
  Gradebook book(options.results, /*create=*/false);
  ClassMarks marks;
  marks.labs = labs_to_export(book, options.labs, places);
  marks.students = book.students();
  marks.device = book.setting("device");
  if (!options.csv.empty()) cli::write_output(options.csv, to_csv(marks));
  if (!options.json.empty()) cli::write_output(options.json, to_class_json(marks));
  if (!options.junit.empty()) cli::write_output(options.junit, to_class_junit(marks));
  if (!options.moodle.empty()) cli::write_output(options.moodle, to_moodle(marks));
  if (!options.canvas.empty()) cli::write_output(options.canvas, to_canvas(marks));
  if (!options.feedback.empty()) write_feedback(marks, options.feedback);
  if (!options.html.empty()) {
    const std::string feedback =
        options.feedback.empty()
            ? std::string()
            : fs::absolute(options.feedback)
                  .lexically_normal()
                  .lexically_relative(fs::absolute(options.html).lexically_normal().parent_path())
                  .string();
    cli::write_output(options.html, class_page(marks, feedback));
  }
  const ClassProgress progress = book.progress();
  if (progress.done < progress.total())
    std::fprintf(stderr, "%s of %s tasks are not graded yet.\n",
                 std::to_string(progress.total() - progress.done).c_str(),
                 std::to_string(progress.total()).c_str());
  return exit_pass;
}

}  // namespace gridstride
