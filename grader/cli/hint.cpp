// lab hint: one more hint at each call, from vague to plain.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "common/terminal.h"
#include "common/text.h"
#include "grader/cli/command.h"
#include "grader/cli/progress/state.h"
#include "grader/course/course.h"
#include "grader/course/hints.h"
#include "grader/report/results.h"

namespace gridstride::cli {
namespace {

void show_hint(const std::vector<Hint>& hints, std::size_t index, const TextStyle& style) {
  const Hint& hint = hints[index];
  std::printf(
      "%s\n",
      style.bold(fmt::format("Hint {} of {}: {}", index + 1, hints.size(), hint.title)).c_str());
  for (std::size_t i = 0; i < hint.parts.size(); ++i) {
    if (i > 0) std::printf("\n");
    const std::string text = clean_text(hint.parts[i].text);
    // Code stays as it is, however narrow the terminal: it is there to be copied.
    const std::size_t width =
        hint.parts[i].is_code ? text.size() : std::max<std::size_t>(style.width, 22) - 2;
    for (const std::string& line : wrap(text, width))
      std::printf("%s%s\n", line.empty() ? "" : "  ", line.c_str());
  }
}

}  // namespace

int hint(const Places& places, const StageOptions& options) {
  const auto tree = places.tree();
  const Selection selection = select_stage(options.names, lab_names(places.build()), tree);
  const StageConfig& stage = *selection.lab.stage(selection.stages.front());
  const std::string full_name = selection.lab.name + "/" + stage.name;
  const std::vector<Hint> hints = load_hints(tree / "labs" / selection.lab.name, stage.name);
  const auto state = state_folder(tree);
  const int shown = hints_shown(state, full_name);

  const TextStyle style = style_of(stdout);
  std::printf("%s: %s\n\n", full_name.c_str(), clean_text(stage.title).c_str());
  if (hints.empty()) {
    std::printf("This course was handed out without hints. labs/%s/README.md explains the stage.\n",
                selection.lab.name.c_str());
    return exit_pass;
  }
  if (shown < 0 || static_cast<std::size_t>(shown) >= hints.size()) {
    for (std::size_t i = 0; i < hints.size(); ++i) {
      if (i > 0) std::printf("\n");
      show_hint(hints, i, style);
    }
    std::printf("\nThere are no more hints. labs/%s/README.md explains the stage.\n",
                selection.lab.name.c_str());
    return exit_pass;
  }
  // Stored first: a hint that could not be counted would be the first one for ever.
  remember_hints(state, full_name, shown + 1);
  show_hint(hints, static_cast<std::size_t>(shown), style);
  const std::size_t left = hints.size() - static_cast<std::size_t>(shown) - 1;
  if (left == 0) {
    std::printf("\nThat was the last one.\n");
  } else {
    std::printf("\n%zu more: ask again.\n", left);
  }
  return exit_pass;
}

}  // namespace gridstride::cli
