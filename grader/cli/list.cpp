// lab list: what there is to do, what it is worth, and what is done.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "common/terminal.h"
#include "common/text.h"
#include "grader/cli/command.h"
#include "grader/cli/progress/next_stage.h"
#include "grader/course/course.h"
#include "grader/report/grid.h"
#include "grader/report/results.h"
#include "grader/report/table.h"

namespace gridstride::cli {
namespace {

constexpr std::size_t widest = 80;  // columns, however wide the terminal is
constexpr std::size_t bar_width = 20;

/// How many stages of a lab have passed, as a bar and in numbers.
std::string bar(std::size_t passed, std::size_t all, const TextStyle& style) {
  const std::size_t filled = all == 0 ? 0 : passed * bar_width / all;
  std::string full, empty;
  for (std::size_t i = 0; i < bar_width; ++i) (i < filled ? full : empty) += i < filled ? "█" : "░";
  return style.green(full) + style.dim(empty) + fmt::format("  {} of {}", passed, all);
}

std::string best(const StageProgress& stage, const std::string& device) {
  const auto found = stage.speedup.find(device);
  return found == stage.speedup.end() ? "" : factor(found->second);
}

std::string grid_of(const LabConfig& lab, const Progress& progress, const TextStyle& style) {
  const auto green = [&style](const std::string& text) { return style.green(text); };
  GridColumn name{"stage", 0, false}, points{"points"}, passed{"passed", 1, false},
      simulated{"simulated", 2}, gpu{"GPU", 2}, title{"title", 0, false, 12};
  for (const StageConfig& stage : lab.stages) {
    const auto found = progress.find(lab.name + "/" + stage.name);
    const StageProgress done = found == progress.end() ? StageProgress{} : found->second;
    name.cells.push_back({stage.name});
    points.cells.push_back({plain_number(stage.correctness_points + stage.speed_points)});
    passed.cells.push_back({clean_text(done.passed.substr(0, 10)), green});
    simulated.cells.push_back({best(done, "sim")});
    gpu.cells.push_back({best(done, "gpu")});
    title.cells.push_back({clean_text(stage.title)});
  }
  return to_grid({name, points, passed, simulated, gpu, title}, style);
}

}  // namespace

int list(const Places& places) {
  TextStyle style = style_of(stdout);
  style.width = std::min(style.width, widest);
  const std::vector<std::string> labs = lab_names(places.build());
  const auto selections = select({}, labs, places.tree());
  const Progress progress = known_progress(places.tree());
  std::size_t name_width = 0;
  for (const Selection& selection : selections)
    name_width = std::max(name_width, selection.lab.name.size());
  for (const Selection& selection : selections) {
    const LabConfig& lab = selection.lab;
    const auto passed = std::ranges::count_if(lab.stages, [&](const StageConfig& stage) {
      return progress.contains(lab.name + "/" + stage.name);
    });
    std::printf("%s%s  %s  %s\n", style.bold(lab.name).c_str(),
                std::string(name_width - lab.name.size(), ' ').c_str(),
                bar(static_cast<std::size_t>(passed), lab.stages.size(), style).c_str(),
                shorten(clean_text(lab.title) + ", " + plain_number(lab.max_score()) + " points",
                        style.width - std::min(style.width, name_width + bar_width + 14))
                    .c_str());
    std::printf("%s\n", grid_of(lab, progress, style).c_str());
  }
  const auto next = next_stage(course_stages(labs, places.tree()), progress, latest_pass(progress));
  for (const std::string& line : wrap(words_about_next(next), style.width))
    std::printf("%s\n", line.c_str());
  return exit_pass;
}

}  // namespace gridstride::cli
