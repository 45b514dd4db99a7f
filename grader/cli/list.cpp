// lab list: what there is to do, and what it is worth.
#include <algorithm>
#include <cstdio>

#include "common/terminal.h"
#include "common/text.h"
#include "grader/cli/command.h"
#include "grader/course/course.h"
#include "grader/report/results.h"

namespace gridstride::cli {

int list(const Places& places) {
  const TextStyle style = style_of(stdout);
  bool first = true;
  for (const Selection& selection : select({}, lab_names(places.build()), places.tree())) {
    const LabConfig& lab = selection.lab;
    std::printf("%s%s  %s, %s points\n", first ? "" : "\n", style.bold(lab.name).c_str(),
                clean_text(lab.title).c_str(), plain_number(lab.max_score()).c_str());
    first = false;
    std::size_t widest = 0;
    for (const StageConfig& stage : lab.stages) widest = std::max(widest, stage.name.size());
    for (const StageConfig& stage : lab.stages) {
      const double points = stage.correctness_points + stage.speed_points;
      const std::string row = stage.name + std::string(widest - stage.name.size(), ' ') + "  " +
                              plain_number(points) + " points  " + clean_text(stage.title);
      std::printf("  %s\n", shorten(row, style.width - 2).c_str());
    }
  }
  return exit_pass;
}

}  // namespace gridstride::cli
