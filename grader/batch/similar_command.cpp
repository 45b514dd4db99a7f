// lab class similar: the texts of a class from its gradebook, compared, and shown.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/source_text.h"
#include "common/terminal.h"
#include "common/text.h"
#include "grader/batch/commands.h"
#include "grader/batch/summary.h"
#include "grader/cli/command.h"
#include "grader/cli/output_file.h"
#include "grader/cli/progress/skeleton.h"
#include "grader/cli/progress/state.h"
#include "grader/course/course.h"
#include "grader/gradebook/gradebook.h"
#include "grader/report/results.h"
#include "grader/similar/likeness.h"
#include "grader/similar/reports.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

/// What is compared: labs of the gradebook, whole or some of their stages.
std::vector<Selection> what_to_compare(Gradebook& book, const std::vector<std::string>& asked,
                                       const cli::Places& places) {
  const std::vector<std::string> known = book.labs();
  const auto selections =
      select(asked.empty() ? known : asked, lab_names(places.build()), places.tree());
  for (const Selection& selection : selections) require_graded(known, selection.lab.name);
  return selections;
}

/// The stage as it was handed out, also where the instructor has solved it in this tree.
std::string skeleton_of(const fs::path& tree, const std::string& file) {
  std::string text = read_file(tree / file);
  if (has_todo(text)) return text;
  return cli::find_skeleton(tree, cli::state_folder(tree), file).text;
}

std::vector<StageOfClass> stages_of(const Selection& selection, Gradebook& book,
                                    const fs::path& tree) {
  std::vector<StageOfClass> stages;
  const std::string& lab = selection.lab.name;
  const auto files = book.files_of_class(lab);
  for (const std::string& name : stage_names(selection)) {
    StageOfClass& stage = stages.emplace_back();
    stage.name = name;
    stage.skeleton = skeleton_of(tree, "labs/" + lab + "/" + name + ".cu");
    const fs::path solution = tree / "solutions" / lab / (name + ".cu");
    if (fs::exists(solution)) stage.solution = read_file(solution);
    for (const auto& [student, all] : files)
      for (const StageFile& file : all)
        if (file.stage == name && file.kind == StageFile::Kind::plain)
          stage.texts[student] = file.text;
  }
  return stages;
}

}  // namespace

int class_similar(const ClassSimilarOptions& options) {
  cli::check_all_writable({options.html, options.json});
  const cli::Places places;
  Gradebook book(options.results, /*create=*/false);
  StudentNames names;
  for (const StudentRecord& record : book.students())
    names[record.student.id] = shown(record.student);
  std::vector<LabOfClass> labs;
  {
    StatusLine status(stderr);
    for (const Selection& selection : what_to_compare(book, options.labs, places)) {
      LabOfClass& lab = labs.emplace_back();
      lab.stages = stages_of(selection, book, places.tree());
      lab.likeness =
          compare_class(selection.lab.name, lab.stages, static_cast<std::size_t>(options.pairs),
                        [&](const std::string& stage) {
                          status.show("comparing " + selection.lab.name + "/" + stage);
                        });
    }
  }
  for (const LabOfClass& lab : labs) {
    const LabLikeness& all = lab.likeness;
    print_wrapped(all.lab + ": " + std::to_string(all.students) + " students, " +
                  std::to_string(all.pairs) + " pairs compared.");
    std::printf("\n%s\n", similar_table(all, names, style_of(stdout)).c_str());
  }
  print_wrapped(
      "Those first that share most beyond what is usual. What is alike need not be copied: " +
      std::string(options.html.empty() ? "--html FILE shows" : options.html + " shows") +
      " both texts side by side.");
  std::fflush(stdout);
  if (!options.json.empty()) cli::write_output(options.json, to_similar_json(labs, names));
  if (!options.html.empty()) cli::write_output(options.html, similar_page(labs, names));
  return exit_pass;
}

}  // namespace gridstride
